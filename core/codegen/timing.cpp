// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/timing.h"

#include "core/base/child_process.h"
#include "core/base/source_text.h"
#include "core/codegen/internal/driver.h"
#include "core/codegen/internal/emitter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace mitos::codegen {

namespace {

constexpr double VersionSeconds = 20.0;
constexpr double LongestRun = 120.0;
constexpr double CompilingShare = 0.5;  // of the progress

class Timer {
public:
    Timer(std::span<const TimedProgram> programs, const TimingOptions& options, std::string folder)
        : m_programs(programs),
          m_options(options),
          m_folder(std::move(folder)),
          m_seconds(programs.size()) {}

    Result<TimingReport> run() {
        Result<ChildOutput> version = runChild({m_options.compiler, "--version"}, child(VersionSeconds));
        if (!version) {
            Error error = std::move(version).error();
            if (error.code == ErrorCode::Io) error.hint = "install a C++ compiler (Debian: g++)";
            return error;
        }
        m_report.compilerVersion = version->output.substr(0, version->output.find('\n'));
        m_report.flags = fmt::format("{}", fmt::join(CompilerFlags, " "));
        m_report.times.resize(m_programs.size());
        const auto count = static_cast<double>(m_programs.size());
        for (std::size_t i = 0; i < m_programs.size(); ++i) {
            say(CompilingShare * static_cast<double>(i) / count, fmt::format("compiling {}", m_programs[i].name));
            const Status compiled = compile(i);
            if (!compiled && !isOfProgram(compiled.error())) return compiled.error();
            if (!compiled) m_report.times[i].problem = compiled.error().message;
        }
        for (int round = 0; round < m_options.rounds; ++round) {
            const double done = static_cast<double>(round) / m_options.rounds;
            say(CompilingShare + (1.0 - CompilingShare) * done,
                fmt::format("measuring, round {} of {}", round + 1, m_options.rounds));
            MITOS_REQUIRE(measure());
        }
        for (std::size_t i = 0; i < m_programs.size(); ++i) {
            if (m_report.times[i].problem.empty()) m_report.times[i] = timeOf(m_seconds[i]);
        }
        return std::move(m_report);
    }

private:
    [[nodiscard]] ChildOptions child(double seconds) const {
        return {.seconds = seconds, .folder = m_folder, .stop = m_options.stop};
    }

    void say(double progress, const std::string& doing) const {
        if (m_options.onStep) m_options.onStep(progress, doing);
    }

    /// Whether an error is about the program and not about the machine.
    static bool isOfProgram(const Error& error) {
        return error.code != ErrorCode::Io && error.code != ErrorCode::Cancelled;
    }

    Status compile(std::size_t index) {
        const TimedProgram& timed = m_programs[index];
        MITOS_TRY(const EmittedProgram emitted, emitProgram(*timed.bank, timed.program, {}));
        MITOS_REQUIRE(
            writeFile(fmt::format("{}/{}.cpp", m_folder, index), driverSource(*timed.bank, timed.program, emitted)));
        MITOS_REQUIRE(writeFile(fmt::format("{}/{}.inputs", m_folder, index), packCount(1) + packInputs(timed.inputs)));
        std::vector<std::string> command{m_options.compiler};
        command.insert(command.end(), CompilerFlags.begin(), CompilerFlags.end());
        command.insert(command.end(), {fmt::format("{}.cpp", index), "-o", fmt::format("{}", index)});
        MITOS_TRY(const ChildOutput compiled, runChild(command, child(m_options.compileSeconds)));
        if (compiled.exitStatus == 0) return Success{};
        const std::size_t error = compiled.errors.find("error:");
        const std::string first = error == std::string::npos ? compiled.errors : compiled.errors.substr(error);
        return Error{ErrorCode::Unsupported,
                     fmt::format("the compiler refused the program: {}", first.substr(0, first.find('\n')))};
    }

    /// Every program once. The driver measures a program against itself, which gives two medians.
    Status measure() {
        const double seconds = m_options.secondsPerProgram / m_options.rounds;
        for (std::size_t i = 0; i < m_programs.size(); ++i) {
            std::string& problem = m_report.times[i].problem;
            if (!problem.empty()) continue;
            const Result<ChildOutput> run = runChild(
                {fmt::format("{}/{}", m_folder, i), "time", fmt::format("{}.inputs", i), fmt::format("{}", seconds)},
                child(LongestRun));
            if (!run && !isOfProgram(run.error())) return run.error();
            std::istringstream numbers(run ? run->output : std::string());
            double first = 0.0;
            double second = 0.0;
            if (run && run->exitStatus == 0 && numbers >> first >> second) {
                m_seconds[i].insert(m_seconds[i].end(), {first, second});
            } else {
                problem =
                    run ? fmt::format("the compiled program ended with status {} on these inputs", run->exitStatus)
                        : run.error().message;
            }
        }
        return Success{};
    }

    std::span<const TimedProgram> m_programs;
    const TimingOptions& m_options;
    std::string m_folder;
    std::vector<std::vector<double>> m_seconds;
    TimingReport m_report;
};

}  // namespace

Result<TimingReport> timeCpp(std::span<const TimedProgram> programs, const TimingOptions& options) {
    MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    return Timer(programs, options, folder.path()).run();
}

ProgramTime timeOf(std::vector<double> seconds) {
    std::ranges::sort(seconds);
    return {seconds[seconds.size() / 2], seconds.front(), seconds.back(), {}};
}

}  // namespace mitos::codegen
