// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/coarsening.h"

#include "core/autodiff/derivative.h"
#include "core/base/child_process.h"
#include "core/base/source_text.h"
#include "core/coarsening/coarsen.h"
#include "core/coarsening/elevate.h"
#include "core/codegen/cpp.h"
#include "core/dialects/dialects.h"
#include "core/experiments/shipped_benchmarks.h"
#include "core/ks/module.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace mitos::experiments {

namespace {

constexpr std::array<CoarseningBenchmark, 6> Benchmarks{{
    {"BGDHyperOpt", "bgd_descent", 1, {27.44, 26.18, 26.82}, {8.52, 8.37, 8.56}},
    {"Brachistochrone", "brachistochrone", 2, {1.10, 1.22, 1.41}, {2.51, 2.08, 1.79}},
    {"CartPole",
     "cartpole_environment",
     3,
     {1.11, 1.08, 1.12},
     {1.12, 1.09, 1.05},
     "cartpole_steps",
     {"cartpole_6", "cartpole_8", "cartpole_10"}},
    {"HMC", "hmc", 4, {4.29, 2.86, 2.54}, {3.46, 2.45, 2.27}},
    {"HookeanSpring", "hookean_spring", 5, {6.62, 4.09, 4.52}, {11.02, 6.72, 7.53}},
    {"QWOP", "qwop", 6, {1.35, 1.44, 1.52}, {1.41, 1.50, 1.56}},
}};

constexpr std::array<std::size_t, 1> FirstParameter{0};
constexpr double CompileSeconds = 300.0;

/// A library that the machine may have.
struct Library {
    const char* name;
    const char* header;
    const char* define;
    std::vector<std::string> flags;
};

std::vector<Library> knownLibraries() {
    return {{"ADOL-C", "adolc/adolc.h", "-DWITH_ADOLC", {"-ladolc"}},
            {"Ceres jets", "ceres/jet.h", "-DWITH_CERES", {"-isystem", "/usr/include/eigen3"}}};
}

constexpr std::array<const char*, 3> Flags{"-std=c++17", "-O3", "-DNDEBUG"};

class Runner {
public:
    Runner(const CoarseningPlan& plan, const OnStep& onStep, std::string folder)
        : m_plan(plan),
          m_onStep(onStep),
          m_folder(std::move(folder)) {}

    Result<CoarseningResults> run() {
        CoarseningResults results;
        MITOS_TRY(const ChildOutput version, runChild({m_plan.compiler, "--version"}, options(CompileSeconds)));
        results.compiler =
            version.output.substr(0, version.output.find('\n')) + fmt::format(" {}", fmt::join(Flags, " "));
        for (const Library& library : knownLibraries()) {
            MITOS_TRY(const bool isThere, hasLibrary(library));
            if (!isThere) continue;
            m_libraries.push_back(library);
            results.libraries.emplace_back(library.name);
        }
        for (const CoarseningBenchmark& benchmark : Benchmarks) {
            const bool isWanted =
                m_plan.only.empty() || std::ranges::find(m_plan.only, benchmark.name) != m_plan.only.end();
            if (!isWanted) continue;
            CoarseningRun run;
            run.benchmark = &benchmark;
            const Status done = measured(benchmark, run);
            if (m_plan.stop.stop_requested()) return Error{ErrorCode::Cancelled, "the experiment was stopped"};
            if (!done) run.failure = done.error().message;
            results.runs.push_back(std::move(run));
        }
        return results;
    }

private:
    [[nodiscard]] ChildOptions options(double seconds) const {
        return {.seconds = seconds, .folder = m_folder, .stop = m_plan.stop};
    }

    Result<bool> hasLibrary(const Library& library) {
        m_onStep(fmt::format("looking for {}", library.name));
        MITOS_REQUIRE(
            writeFile(m_folder + "/probe.cpp", fmt::format("#include <{}>\nint main() {{}}\n", library.header)));
        std::vector<std::string> command{m_plan.compiler, "-std=c++17", "probe.cpp", "-o", "probe"};
        command.insert(command.end(), library.flags.begin(), library.flags.end());
        MITOS_TRY(const ChildOutput compiled, runChild(command, options(CompileSeconds)));
        return compiled.exitStatus == 0;
    }

    Status compile(std::vector<std::string> arguments) {
        std::vector<std::string> command{m_plan.compiler};
        command.insert(command.end(), Flags.begin(), Flags.end());
        command.insert(command.end(), arguments.begin(), arguments.end());
        MITOS_TRY(const ChildOutput compiled, runChild(command, options(CompileSeconds)));
        if (compiled.exitStatus == 0) return Success{};
        const std::size_t error = compiled.errors.find("error:");
        const std::string first = error == std::string::npos ? compiled.errors : compiled.errors.substr(error);
        return Error{ErrorCode::Unsupported,
                     fmt::format("its C++ does not compile: {}", first.substr(0, first.find('\n')))};
    }

    /// Writes and compiles NAME.cpp and NAME.h, with a function in the namespace NAME.
    Status emitted(const ir::TermBank& bank, ir::FunctionId id, const std::string& name, const std::string& function) {
        const ir::Program program{id, bank.function(id).body};
        const codegen::CppOptions options{.functionName = function, .comment = {}, .nameSpace = name};
        MITOS_TRY(const std::string source, codegen::emitCpp(bank, program, options));
        MITOS_TRY(const std::string header, codegen::emitCppHeader(bank, program, options));
        MITOS_REQUIRE(writeFile(fmt::format("{}/{}.cpp", m_folder, name), source));
        MITOS_REQUIRE(writeFile(fmt::format("{}/{}.h", m_folder, name), header));
        return compile({"-c", name + ".cpp"});
    }

    /// Writes and compiles the gradient of a function of a sample; its last function if it has no name.
    Status coarsened(const char* sample, const std::string& function, const std::string& name, CoarseningRun& run,
                     bool closesLoops) {
        ir::TermBank bank(dialects::makeRegistry());
        MITOS_TRY(const ks::Module module,
                  ks::parseModule(bank, SourceText(sample, std::string(shippedBenchmark(sample)))));
        MITOS_TRY(const ir::Program program, ks::selectProgram(bank, module, function));
        MITOS_TRY(const rules::RuleBook book, coarsening::elevationRules(bank.sharedRegistry()));
        coarsening::CoarsenOptions options;
        options.sizeLimit = m_plan.sizeLimit;
        options.wrt.assign(FirstParameter.begin(), FirstParameter.end());
        options.closesLoops = closesLoops;
        MITOS_TRY(const coarsening::Coarsened made, coarsening::coarsen(bank, program, book, options));
        if (closesLoops) {
            run.symbolicSeconds = made.seconds;
            run.segments = made.segments.size();
            run.isWhole = made.segments.size() == 1 && made.segments[0].isWhole;
            run.steps = 0;
            for (const coarsening::Segment& segment : made.segments) run.steps += segment.thread.steps.size();
        }
        m_objects.push_back(name + ".o");
        return emitted(bank, made.derivative, name, "gradient");
    }

    /// The gradients of the closed forms: one for all configurations, or one for each.
    Status closedForms(const CoarseningBenchmark& benchmark, CoarseningRun& run) {
        if (benchmark.constants == nullptr) return coarsened(benchmark.sample, {}, "coarsened", run, true);
        for (std::size_t i = 0; i < benchmark.functions.size(); ++i) {
            const std::string name = fmt::format("coarsened{}", i + 1);
            MITOS_REQUIRE(coarsened(benchmark.constants, benchmark.functions.at(i), name, run, true));
        }
        return Success{};
    }

    Status measured(const CoarseningBenchmark& benchmark, CoarseningRun& run) {
        m_onStep(fmt::format("{}: differentiating and compiling", benchmark.name));
        ir::TermBank bank(dialects::makeRegistry());
        MITOS_TRY(const ir::Program program,
                  ks::parseProgram(bank, benchmark.sample, std::string(shippedBenchmark(benchmark.sample))));
        MITOS_REQUIRE(emitted(bank, program.function, "primal", "value"));
        MITOS_TRY(const ir::FunctionId plain, autodiff::gradient(bank, program.function, FirstParameter));
        MITOS_REQUIRE(emitted(bank, plain, "plain", "gradient"));
        m_objects = {"primal.o", "plain.o"};
        MITOS_REQUIRE(closedForms(benchmark, run));
        MITOS_REQUIRE(coarsened(benchmark.sample, {}, "loops", run, false));

        MITOS_REQUIRE(writeFile(m_folder + "/driver.cpp", std::string(shippedBenchmark("coarsening"))));
        std::vector<std::string> arguments{fmt::format("-DBENCHMARK={}", benchmark.number), "-DWITH_COARSENED",
                                           "-DWITH_LOOPS"};
        arguments.insert(arguments.end(), m_objects.begin(), m_objects.end());
        arguments.insert(arguments.end(), {"-o", "driver", "driver.cpp"});
        for (const Library& library : m_libraries) {
            arguments.insert(arguments.begin(), library.define);
            arguments.insert(arguments.end(), library.flags.begin(), library.flags.end());
        }
        MITOS_REQUIRE(compile(std::move(arguments)));

        m_onStep(fmt::format("{}: measuring", benchmark.name));
        MITOS_TRY(const ChildOutput output,
                  runChild({m_folder + "/driver", fmt::format("{}", m_plan.secondsPerConfiguration)},
                           options(120.0 + 10.0 * m_plan.secondsPerConfiguration)));
        if (output.exitStatus != 0) {
            return Error{ErrorCode::Unsupported, fmt::format("the measuring program ended with status {}: {}",
                                                             output.exitStatus, output.errors.substr(0, 200))};
        }
        return read(output.output, run);
    }

    static Status read(const std::string& output, CoarseningRun& run) {
        std::istringstream lines(output);
        for (std::string line; std::getline(lines, line);) {
            std::vector<std::string> cells;
            std::istringstream parts(line);
            for (std::string cell; std::getline(parts, cell, ',');) cells.push_back(cell);
            ToolTime time;
            const bool isRead = cells.size() == 7 && absl::SimpleAtod(cells[2], &time.median) &&
                                absl::SimpleAtod(cells[3], &time.lowest) && absl::SimpleAtod(cells[4], &time.highest) &&
                                absl::SimpleAtod(cells[5], &time.apart) && absl::SimpleAtoi(cells[6], &time.calls);
            // ADOL-C writes remarks to standard output.
            if (!isRead) continue;
            time.tool = cells[1];
            if (run.configurations.empty() || run.configurations.back().name != cells[0]) {
                run.configurations.push_back({cells[0], {}});
            }
            run.configurations.back().tools.push_back(std::move(time));
        }
        if (run.configurations.empty()) return Error{ErrorCode::Unsupported, "the measuring program wrote no times"};
        return Success{};
    }

    const CoarseningPlan& m_plan;
    const OnStep& m_onStep;
    std::string m_folder;
    std::vector<Library> m_libraries;
    std::vector<std::string> m_objects;  ///< of the benchmark that is compiled
};

}  // namespace

std::span<const CoarseningBenchmark> coarseningBenchmarks() { return Benchmarks; }

const ToolTime* ConfigurationTimes::find(std::string_view tool) const {
    const auto found = std::ranges::find(tools, tool, &ToolTime::tool);
    return found == tools.end() ? nullptr : &*found;
}

Result<CoarseningResults> runCoarsening(const CoarseningPlan& plan, const OnStep& onStep) {
    for (const std::string& name : plan.only) {
        const auto hasName = [&](const CoarseningBenchmark& benchmark) { return name == benchmark.name; };
        if (std::ranges::any_of(Benchmarks, hasName)) continue;
        std::vector<std::string> names;
        for (const CoarseningBenchmark& benchmark : Benchmarks) names.emplace_back(benchmark.name);
        return Error{ErrorCode::InvalidInput,
                     fmt::format("there is no benchmark {}", name),
                     {},
                     fmt::format("the benchmarks are {}", fmt::join(names, ", "))};
    }
    MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    return Runner(plan, onStep, folder.path()).run();
}

}  // namespace mitos::experiments
