// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluation of the coarsening paper (its section 7.2): gradients of six benchmarks in three configurations each, by reverse mode with and
// without coarsening, dual numbers, and libraries that the machine has. All are compiled alike and timed alternately in one process.
#pragma once

#include "core/base/result.h"
#include "core/timing/summary.h"
#include "search/experiments/coarsening_numbers.h"
#include "search/experiments/experiment.h"
#include "search/experiments/gradient_variants.h"

#include <array>
#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

/// A benchmark of the paper, or another program. Its gradient is that of the first parameters of the sample.
struct CoarseningBenchmark {
    const char* name;
    const char* sample;  ///< a file of samples/coarsening or samples/gradients, without extension
    int number;          ///< in resources/experiments/coarsening_programs.txt
    std::size_t active;  ///< number of parameters to differentiate by
    /// A sample with a function for each configuration, in which the size of the first parameter is a constant: coarsening takes these.
    /// nullptr: there is none.
    const char* constants = nullptr;
    std::array<const char*, 3> functions = {};
    std::array<std::size_t, 3> sizes = {};
};
[[nodiscard]] std::span<const CoarseningBenchmark> coarseningBenchmarks();

struct CoarseningPlan {
    std::vector<std::string> benchmarks;  ///< names; empty: all
    std::vector<std::string> parts;       ///< names of tables (coarsening_tables.h); empty: all
    double secondsPerConfiguration = 1.0;
    std::size_t sizeLimit = 600;  ///< of segments (coarsening::CoarsenOptions)
    std::string compiler = "c++";
};
/// The benchmarks of the plan, in the order of all. Fails for a name that none has; the error lists all.
[[nodiscard]] Result<std::vector<const CoarseningBenchmark*>> benchmarksOf(const CoarseningPlan& plan);

/// The names of tools that are not variants. The primal is a tool, too.
struct ToolName {
    static constexpr const char* WithPrimal =
        "with primal";                               ///< the coarsened gradient and the value, one after the other
    static constexpr const char* Masked = "masked";  ///< reverse mode of HMC with masked exponentials
    static constexpr const char* MaskedCoarsened = "masked coarsened";
    static constexpr const char* InLibrary =
        "coarsened in Stan Math";  ///< the coarsened gradient as an operation of Stan Math
    static constexpr const char* DualNumbers = "dual numbers";
};

/// The processor time of a call of one tool in one configuration.
struct ToolTime {
    std::string tool;  ///< a variant, one of ToolName's, or a library
    timing::TimeSummary call = {};
    double apart = 0.0;  ///< largest difference from dual numbers, relative to the result's largest element

    /// Half the distance between the quartiles, relative to the median.
    [[nodiscard]] double spread() const { return 0.5 * call.seconds.width() / call.seconds.median; }
    /// In all batches together.
    [[nodiscard]] std::size_t calls() const { return call.count * call.calls; }
};
[[nodiscard]] const ToolTime* find(const std::vector<ToolTime>& times, std::string_view tool);

/// The memory that a gradient takes from the heap.
struct ToolMemory {
    std::string tool;  ///< a variant
    std::size_t allocations = 0;
    std::size_t bytes = 0;
};

struct ConfigurationTimes {
    std::string name;
    std::vector<ToolTime> gradient;         ///< of the program
    std::vector<ToolTime> iteration;        ///< of the algorithm that needs the gradient
    std::vector<ToolTime> differentiation;  ///< CartPole: of the program and its network
    std::vector<ToolMemory> memory;
};

struct CoarseningRun {
    const CoarseningBenchmark* benchmark = nullptr;
    Variants variants;  ///< what was made; their terms are not kept
    std::vector<ConfigurationTimes> configurations;
};

/// A library of automatic differentiation that the experiment can use.
struct LibraryInfo {
    const char* name;
    const char* package;  ///< of Debian 12; empty: it is in none
    bool isFound = false;
};

/// The compiler and the libraries that all runs share, as they were found on this machine.
struct CoarseningTools {
    std::string compiler;  ///< its first line of --version, and the flags
    std::vector<LibraryInfo> libraries;
    [[nodiscard]] std::vector<std::string> foundLibraries() const;
};
/// Looks for the compiler and the libraries. Errors: no compiler of this name (Io), stopped (Cancelled).
[[nodiscard]] Result<CoarseningTools> coarseningTools(const CoarseningPlan& plan, const std::stop_token& stop,
                                                      const OnStep& onStep);

struct CoarseningResults {
    std::vector<CoarseningRun> runs;
    CoarseningTools tools;
    std::vector<CoarseningNumbers> paper;
    double secondsPerConfiguration = 0.0;
};

/// The largest difference of gradients that counts as rounding.
inline constexpr double MostApart = 1e-9;

/// Makes, compiles and times a benchmark. Fails if it cannot be made or compiled; Cancelled after a stop.
[[nodiscard]] Result<CoarseningRun> measureBenchmark(const CoarseningBenchmark& benchmark, const CoarseningPlan& plan,
                                                     const CoarseningTools& tools, const std::stop_token& stop,
                                                     const OnStep& onStep);

}  // namespace mitos::search::experiments
