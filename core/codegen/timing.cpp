// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/timing.h"

#include "core/codegen/internal/driver.h"
#include "core/codegen/internal/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace mitos::codegen {

namespace {

constexpr double LongestRun = 120.0;
constexpr double CompilingShare = 0.5;  // of the progress

class Timer {
public:
    Timer(std::span<const TimedProgram> programs, const TimingOptions& options, timing::CompiledPrograms compiled)
        : m_programs(programs),
          m_options(options),
          m_compiled(std::move(compiled)),
          m_measured(programs.size()) {}

    Result<TimingReport> run() {
        m_report.compilerVersion = m_compiled.compilerVersion();
        m_report.flags = timing::flagsText();
        m_report.times.resize(m_programs.size());
        const auto count = static_cast<double>(m_programs.size());
        for (std::size_t i = 0; i < m_programs.size(); ++i) {
            say(CompilingShare * static_cast<double>(i) / count, fmt::format("compiling {}", m_programs[i].name));
            const Status compiled = compile(i);
            if (!compiled && !timing::isOfProgram(compiled.error())) return compiled.error();
            if (!compiled) m_report.times[i].problem = compiled.error().message;
        }
        for (int round = 0; round < m_options.rounds; ++round) {
            const double done = static_cast<double>(round) / m_options.rounds;
            say(CompilingShare + (1.0 - CompilingShare) * done,
                fmt::format("measuring, round {} of {}", round + 1, m_options.rounds));
            MITOS_REQUIRE(measure());
        }
        for (std::size_t i = 0; i < m_programs.size(); ++i) {
            const Measured& measured = m_measured[i];
            ProgramTime& time = m_report.times[i];
            if (time.problem.empty()) time.call = timing::summaryOf(measured.rounds, measured.calls);
        }
        return std::move(m_report);
    }

private:
    struct Measured {
        timing::Blocks rounds;
        std::uint32_t calls = 1;
    };

    void say(double progress, const std::string& doing) const {
        if (m_options.onStep) m_options.onStep(progress, doing);
    }

    Status compile(std::size_t index) {
        const TimedProgram& timed = m_programs[index];
        const std::string name = fmt::format("{}", index);
        MITOS_TRY(const EmittedProgram emitted, emitProgram(*timed.bank, timed.program, {}));
        MITOS_REQUIRE(m_compiled.write(name + ".cpp", driverSource(*timed.bank, timed.program, emitted)));
        MITOS_REQUIRE(m_compiled.write(name + ".inputs", packCount(1) + packInputs(timed.inputs)));
        MITOS_TRY(const timing::Compilation compiled, m_compiled.compile({name + ".cpp", "-o", name}));
        return compiled.status();
    }

    /// Every program once. The driver measures a program against itself, whose times are of one program.
    Status measure() {
        const std::string seconds = fmt::format("{}", m_options.secondsPerProgram / m_options.rounds);
        for (std::size_t i = 0; i < m_programs.size(); ++i) {
            std::string& problem = m_report.times[i].problem;
            if (!problem.empty()) continue;
            const std::string name = fmt::format("{}", i);
            const Result<std::string> run = m_compiled.measure(name, {"time", name + ".inputs", seconds}, LongestRun);
            if (!run && !timing::isOfProgram(run.error())) return run.error();
            std::vector<double> times;
            for (const timing::Batches& batches : timing::allBatchesIn(run ? *run : std::string())) {
                times.insert(times.end(), batches.seconds.begin(), batches.seconds.end());
                m_measured[i].calls = std::max(m_measured[i].calls, batches.calls);
            }
            if (times.empty()) {
                problem = run ? "the compiled program ended without times" : run.error().message;
            } else {
                m_measured[i].rounds.push_back(std::move(times));
            }
        }
        return Success{};
    }

    std::span<const TimedProgram> m_programs;
    const TimingOptions& m_options;
    timing::CompiledPrograms m_compiled;
    std::vector<Measured> m_measured;
    TimingReport m_report;
};

}  // namespace

Result<TimingReport> timeCpp(std::span<const TimedProgram> programs, const TimingOptions& options) {
    MITOS_TRY(timing::CompiledPrograms compiled, timing::CompiledPrograms::make(options.compiling));
    return Timer(programs, options, std::move(compiled)).run();
}

}  // namespace mitos::codegen
