// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/coarsening.h"

#include "core/experiments/compiled_functions.h"
#include "core/experiments/internal/time_lines.h"
#include "core/experiments/shipped_benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace mitos::experiments {

namespace {

constexpr std::array<CoarseningBenchmark, 7> Benchmarks{{
    {"BGDHyperOpt", "bgd_descent", 1, 1, {27.44, 26.18, 26.82}, {8.52, 8.37, 8.56}},
    {"Brachistochrone", "brachistochrone", 2, 1, {1.10, 1.22, 1.41}, {2.51, 2.08, 1.79}},
    {"CartPole",
     "cartpole_environment",
     3,
     1,
     {1.11, 1.08, 1.12},
     {1.12, 1.09, 1.05},
     "cartpole_steps",
     {"cartpole_6", "cartpole_8", "cartpole_10"},
     {6, 8, 10}},
    {"HMC", "hmc", 4, 1, {4.29, 2.86, 2.54}, {3.46, 2.45, 2.27}},
    {"HookeanSpring", "hookean_spring", 5, 1, {6.62, 4.09, 4.52}, {11.02, 6.72, 7.53}},
    {"QWOP", "qwop", 6, 1, {1.35, 1.44, 1.52}, {1.41, 1.50, 1.56}},
    {"GMM", "gmm", 7, 3, {}, {}},
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

    Result<CoarseningResults> run() {
        CoarseningResults results;
        results.compiler = m_compiled.compiler();
        results.secondsPerConfiguration = m_plan.secondsPerConfiguration;
        MITOS_REQUIRE(findLibraries(results));
        for (const char* part :
             {"coarsening_measuring", "coarsening_network", "coarsening_numbers", "coarsening_programs"}) {
            const std::string file = std::string(part).substr(std::string_view("coarsening_").size()) + ".h";
            MITOS_REQUIRE(m_compiled.programs().write(file, shippedBenchmark(part)));
        }
        MITOS_REQUIRE(m_compiled.programs().write("batches.h", timing::measuringText()));
        std::vector<const CoarseningBenchmark*> wanted;
        for (const CoarseningBenchmark& benchmark : Benchmarks) {
            const bool isWanted =
                m_plan.only.empty() || std::ranges::find(m_plan.only, benchmark.name) != m_plan.only.end();
            if (isWanted) wanted.push_back(&benchmark);
        }
        for (const CoarseningBenchmark* benchmark : wanted) {
            m_where = fmt::format("{} of {}  {}", results.runs.size() + 1, wanted.size(), benchmark->name);
            CoarseningRun run;
            run.benchmark = benchmark;
            const Status done = measured(*benchmark, run);
            if (m_plan.stop.stop_requested()) return Error{ErrorCode::Cancelled, "the experiment was stopped"};
            if (!done) run.failure = done.error().message;
            run.variants.all.clear();
            results.runs.push_back(std::move(run));
        }
        return results;
    }

private:
    void report(std::string_view what) { m_onStep(fmt::format("{}: {}", m_where, what)); }

    Status findLibraries(CoarseningResults& results) {
        for (Library& library : knownLibraries()) {
            m_onStep(fmt::format("looking for {}", library.info.name));
            std::vector<std::string> flags = library.flags;
            flags.insert(flags.end(), library.libraries.begin(), library.libraries.end());
            MITOS_TRY(library.info.isFound, m_compiled.programs().hasHeader(library.header, flags));
            results.libraries.push_back(library.info);
            if (library.info.isFound) m_libraries.push_back(std::move(library));
        }
        results.libraries.insert(results.libraries.end(), UnpackagedLibraries.begin(), UnpackagedLibraries.end());
        return Success{};
    }

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
        MITOS_TRY(const std::string output, m_compiled.run(shippedBenchmark("coarsening"), flags, libraries,
                                                           {fmt::format("{}", m_plan.secondsPerConfiguration)},
                                                           120.0 + 10.0 * m_plan.secondsPerConfiguration));
        run.configurations = readTimes(output);
        if (run.configurations.empty()) return Error{ErrorCode::Unsupported, "the measuring program wrote no times"};
        return Success{};
    }

    /// The function of a program that comes with Mitos; the last one if it is not named.
    static ProgramMaker shipped(const char* sample, std::string function = {}) {
        return programOf(sample, std::string(shippedBenchmark(sample)), std::move(function));
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
    std::string m_where;
};

}  // namespace

std::span<const CoarseningBenchmark> coarseningBenchmarks() { return Benchmarks; }

const ToolTime* find(const std::vector<ToolTime>& times, std::string_view tool) {
    const auto found = std::ranges::find(times, tool, &ToolTime::tool);
    return found == times.end() ? nullptr : &*found;
}

std::vector<std::string> CoarseningResults::foundLibraries() const {
    std::vector<std::string> names;
    for (const LibraryInfo& library : libraries) {
        if (library.isFound) names.emplace_back(library.name);
    }
    return names;
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
    MITOS_TRY(CompiledFunctions compiled, CompiledFunctions::make(plan.compiler, plan.stop));
    return Runner(plan, onStep, std::move(compiled)).run();
}

}  // namespace mitos::experiments
