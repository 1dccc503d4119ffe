// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/experiments/coarsening.h"

#include "core/base/suggestion.h"
#include "search/experiments/compiled_functions.h"
#include "search/experiments/internal/time_lines.h"
#include "search/experiments/shipped_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace mitos::search::experiments {

namespace {

constexpr std::array<CoarseningBenchmark, 7> Benchmarks{{
    {"BGDHyperOpt", "bgd_descent", 1, 1},
    {"Brachistochrone", "brachistochrone", 2, 1},
    {"CartPole",
     "cartpole_environment",
     3,
     1,
     "cartpole_steps",
     {"cartpole_6", "cartpole_8", "cartpole_10"},
     {6, 8, 10}},
    {"HMC", "hmc", 4, 1},
    {"HookeanSpring", "hookean_spring", 5, 1},
    {"QWOP", "qwop", 6, 1},
    {"GMM", "gmm", 7, 3},
}};

constexpr const char* MaskedBenchmark = "HMC";
constexpr const char* MaskedSample = "hmc_masked";

/// How programs use a library.
struct Library {
    LibraryInfo info;
    const char* header;
    const char* define;
    std::vector<std::string> flags;
    std::vector<std::string> libraries;
};

std::vector<Library> knownLibraries() {
    return {
        {{"ADOL-C", "libadolc-dev"}, "adolc/adolc.h", "-DWITH_ADOLC", {}, {"-ladolc"}},
        {{"Stan Math", "r-cran-stanheaders, libboost-dev and libeigen3-dev"},
         "stan/math/rev/scal.hpp",
         "-DWITH_STAN",
         {"-isystem", "/usr/lib/R/site-library/StanHeaders/include", "-isystem", "/usr/include/eigen3"},
         {}},
        {{"Sacado", "libtrilinos-sacado-dev and libtrilinos-kokkos-dev"},
         "Sacado_trad.hpp",
         "-DWITH_SACADO",
         {"-isystem", "/usr/include/trilinos"},
         {}},
        {{"Ceres jets", "libceres-dev"}, "ceres/jet.h", "-DWITH_CERES", {"-isystem", "/usr/include/eigen3"}, {}},
    };
}
/// Libraries that Debian 12 does not have.
constexpr std::array<LibraryInfo, 2> UnpackagedLibraries{{{"Adept", ""}, {"autodiff", ""}}};

class Runner {
public:
    Runner(const CoarseningPlan& plan, const OnStep& onStep, CompiledFunctions compiled)
        : m_plan(plan),
          m_onStep(onStep),
          m_compiled(std::move(compiled)) {}

    Result<CoarseningRun> run(const CoarseningBenchmark& benchmark, const CoarseningTools& tools) {
        for (Library& library : knownLibraries()) {
            const auto isIt = [&](const LibraryInfo& info) {
                return info.isFound && info.name == std::string_view(library.info.name);
            };
            if (std::ranges::any_of(tools.libraries, isIt)) m_libraries.push_back(std::move(library));
        }
        for (const char* part :
             {"coarsening_measuring", "coarsening_network", "coarsening_numbers", "coarsening_programs"}) {
            const std::string file = std::string(part).substr(std::string_view("coarsening_").size()) + ".h";
            MITOS_REQUIRE(m_compiled.programs().write(file, shippedFile(part)));
        }
        MITOS_REQUIRE(m_compiled.programs().write("batches.h", timing::measuringText()));
        CoarseningRun run;
        run.benchmark = &benchmark;
        MITOS_REQUIRE(measured(benchmark, run));
        run.variants.all.clear();
        return run;
    }

private:
    void report(const std::string& what) { m_onStep(what); }

    Status measured(const CoarseningBenchmark& benchmark, CoarseningRun& run) {
        report("differentiating");
        VariantPlan plan{.wrt = std::vector<std::size_t>(benchmark.active), .sizeLimit = m_plan.sizeLimit};
        std::iota(plan.wrt.begin(), plan.wrt.end(), 0U);
        MITOS_TRY(run.variants, gradientVariants(shipped(benchmark.sample), plan));
        if (benchmark.name == std::string_view(MaskedBenchmark)) MITOS_REQUIRE(addMasked(run.variants, plan));
        if (benchmark.constants != nullptr) MITOS_REQUIRE(addConstants(benchmark, run.variants, plan));
        m_compiled.clear();
        for (const Variant& variant : run.variants.all) {
            report(fmt::format("compiling {}", variant.name));
            MITOS_REQUIRE(m_compiled.add(*variant.bank, variant.program, variant.nameSpace,
                                         variant.isGradient ? "gradient" : "value"));
        }
        MITOS_REQUIRE(m_compiled.programs().write("variants.h", variantsHeader(benchmark, run.variants)));
        std::vector<std::string> flags{fmt::format("-DBENCHMARK={}", benchmark.number)};
        std::vector<std::string> libraries;
        for (const Library& library : m_libraries) {
            flags.emplace_back(library.define);
            flags.insert(flags.end(), library.flags.begin(), library.flags.end());
            libraries.insert(libraries.end(), library.libraries.begin(), library.libraries.end());
        }
        report("measuring");
        MITOS_TRY(const std::string output, m_compiled.run(shippedFile("coarsening"), flags, libraries,
                                                           {fmt::format("{}", m_plan.secondsPerConfiguration)},
                                                           120.0 + 10.0 * m_plan.secondsPerConfiguration));
        run.configurations = readTimes(output);
        if (run.configurations.empty()) return Error{ErrorCode::Unsupported, "the measuring program wrote no times"};
        return Success{};
    }

    /// The function of a program that comes with Mitos; the last one if it is not named.
    static ProgramMaker shipped(const char* sample, std::string function = {}) {
        return programOf(sample, std::string(shippedFile(sample)), std::move(function));
    }

    static Status addMasked(Variants& variants, VariantPlan plan) {
        plan.ablates = false;
        MITOS_TRY(const Variants masked, gradientVariants(shipped(MaskedSample), plan));
        for (const Variant& variant : masked.all) {
            const bool isCoarsened = variant.name == VariantName::Coarsened;
            if (variant.name != VariantName::Reverse && !isCoarsened) continue;
            variants.all.push_back(variant);
            variants.all.back().name = isCoarsened ? ToolName::MaskedCoarsened : ToolName::Masked;
            variants.all.back().nameSpace = isCoarsened ? "made_masked_coarsened" : "made_masked";
        }
        return Success{};
    }

    /// In the place of the coarsened function and gradient of any size, one of each configuration's size.
    static Status addConstants(const CoarseningBenchmark& benchmark, Variants& variants, VariantPlan plan) {
        plan.ablates = false;
        std::erase_if(variants.all, isCoarsened);
        for (std::size_t i = 0; i < benchmark.functions.size(); ++i) {
            MITOS_TRY(Variants of, gradientVariants(shipped(benchmark.constants, benchmark.functions.at(i)), plan));
            variants.symbolicSeconds = of.symbolicSeconds;
            variants.segments = of.segments;
            variants.isWhole = of.isWhole;
            variants.steps = of.steps;
            for (Variant& variant : of.all) {
                if (!isCoarsened(variant)) continue;
                variant.nameSpace += std::to_string(benchmark.sizes.at(i));
                variants.all.push_back(std::move(variant));
            }
        }
        return Success{};
    }
    static bool isCoarsened(const Variant& variant) {
        return variant.name == VariantName::Coarsened || variant.name == VariantName::Closed;
    }

    /// The functions of that name which call the one for the size of the first argument.
    static std::string dispatch(const CoarseningBenchmark& benchmark, const std::string& nameSpace,
                                const std::string& function) {
        std::string cases;
        for (const std::size_t size : benchmark.sizes)
            cases += fmt::format("if (first.size() == {}) return {}{}::{}(first, rest...); ", size, nameSpace, size,
                                 function);
        return fmt::format(
            "namespace {} {{ template <class First, class... Rest> auto {}(const First& first, const Rest&... rest) "
            "{{ {}std::abort(); }} }}\n",
            nameSpace, function, cases);
    }

    /// Names the functions: VARIANTS(ADD) calls ADD(name, namespace of its value, namespace, whether iterations are measured, too).
    static std::string variantsHeader(const CoarseningBenchmark& benchmark, const Variants& variants) {
        constexpr std::array<std::string_view, 3> InIterations{VariantName::Reverse, VariantName::Loops,
                                                               VariantName::Coarsened};
        std::string includes;
        std::string list = "#define VARIANTS(ADD)";
        for (const Variant& variant : variants.all) {
            includes += fmt::format("#include \"{}.h\"\n", variant.nameSpace);
            if (!variant.isGradient || (benchmark.constants != nullptr && isCoarsened(variant))) continue;
            const bool isInIterations = std::ranges::find(InIterations, variant.name) != InIterations.end();
            list += fmt::format(" ADD(\"{}\", {}, {}, {})", variant.name,
                                variant.name == VariantName::Coarsened ? "made_closed" : "made_primal",
                                variant.nameSpace, isInIterations);
        }
        if (benchmark.constants != nullptr) {
            includes += "#include <cstdlib>\n" + dispatch(benchmark, "made_coarsened", "gradient") +
                        dispatch(benchmark, "made_closed", "value");
            list += fmt::format(" ADD(\"{}\", made_closed, made_coarsened, true)", VariantName::Coarsened);
        }
        return includes + list + "\n";
    }

    const CoarseningPlan& m_plan;
    const OnStep& m_onStep;
    CompiledFunctions m_compiled;
    std::vector<Library> m_libraries;
};

}  // namespace

std::span<const CoarseningBenchmark> coarseningBenchmarks() { return Benchmarks; }

const ToolTime* find(const std::vector<ToolTime>& times, std::string_view tool) {
    const auto found = std::ranges::find(times, tool, &ToolTime::tool);
    return found == times.end() ? nullptr : &*found;
}

std::vector<std::string> CoarseningTools::foundLibraries() const {
    std::vector<std::string> names;
    for (const LibraryInfo& library : libraries) {
        if (library.isFound) names.emplace_back(library.name);
    }
    return names;
}

Result<std::vector<const CoarseningBenchmark*>> benchmarksOf(const CoarseningPlan& plan) {
    std::vector<std::string_view> names;
    for (const CoarseningBenchmark& benchmark : Benchmarks) names.emplace_back(benchmark.name);
    for (const std::string& name : plan.benchmarks) {
        if (std::ranges::find(names, name) == names.end()) return noSuchName("benchmark", name, names);
    }
    std::vector<const CoarseningBenchmark*> wanted;
    for (const CoarseningBenchmark& benchmark : Benchmarks) {
        const bool isWanted =
            plan.benchmarks.empty() || std::ranges::find(plan.benchmarks, benchmark.name) != plan.benchmarks.end();
        if (isWanted) wanted.push_back(&benchmark);
    }
    return wanted;
}

Result<CoarseningTools> coarseningTools(const CoarseningPlan& plan, const std::stop_token& stop, const OnStep& onStep) {
    MITOS_TRY(const CompiledFunctions compiled, CompiledFunctions::make(plan.compiler, stop));
    CoarseningTools tools{.compiler = compiled.compiler(), .libraries = {}};
    for (Library& library : knownLibraries()) {
        onStep(fmt::format("looking for {}", library.info.name));
        std::vector<std::string> flags = library.flags;
        flags.insert(flags.end(), library.libraries.begin(), library.libraries.end());
        MITOS_TRY(library.info.isFound, compiled.programs().hasHeader(library.header, flags));
        tools.libraries.push_back(library.info);
    }
    tools.libraries.insert(tools.libraries.end(), UnpackagedLibraries.begin(), UnpackagedLibraries.end());
    return tools;
}

Result<CoarseningRun> measureBenchmark(const CoarseningBenchmark& benchmark, const CoarseningPlan& plan,
                                       const CoarseningTools& tools, const std::stop_token& stop,
                                       const OnStep& onStep) {
    MITOS_TRY(CompiledFunctions compiled, CompiledFunctions::make(plan.compiler, stop));
    Result<CoarseningRun> run = Runner(plan, onStep, std::move(compiled)).run(benchmark, tools);
    if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "the run was stopped"};
    return run;
}

}  // namespace mitos::search::experiments
