// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluation of the coarsening paper (its section 7.2): gradients of six benchmarks in three configurations each, by reverse mode with and
// without coarsening, dual numbers, and libraries that the machine has. All are compiled alike and timed alternately in one process.
#pragma once

#include "core/base/result.h"
#include "core/experiments/gradient_variants.h"
#include "core/timing/summary.h"

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::experiments {

/// A benchmark of the paper, or another program. Its gradient is that of the first parameters of the sample.
struct CoarseningBenchmark {
    const char* name;
    const char* sample;  ///< a file of samples/coarsening or samples/gradients, without extension
    int number;          ///< in resources/experiments/coarsening_programs.txt
    std::size_t active;  ///< number of parameters to differentiate by
    /// Table 3: the speed-ups of differentiation and of an iteration on the server, a configuration each; 0: not in the paper.
    double paperDifferentiation[3];
    double paperOverall[3];
    /// A sample with a function for each configuration, in which the size of the first parameter is a constant: coarsening takes these.
    /// nullptr: there is none.
    const char* constants = nullptr;
    std::array<const char*, 3> functions = {};
    std::array<std::size_t, 3> sizes = {};
};
[[nodiscard]] std::span<const CoarseningBenchmark> coarseningBenchmarks();

struct CoarseningPlan {
    std::vector<std::string> only;  ///< names of benchmarks; empty: all
    double secondsPerConfiguration = 1.0;
    std::size_t sizeLimit = 600;  ///< of segments (coarsening::CoarsenOptions)
    std::string compiler = "c++";
    std::stop_token stop = {};
};

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
    std::string failure;  ///< why there are no times; empty if there are
    Variants variants;    ///< what was made; their terms are not kept
    std::vector<ConfigurationTimes> configurations;
};

/// A library of automatic differentiation that the experiment can use.
struct LibraryInfo {
    const char* name;
    const char* package;  ///< of Debian 12; empty: it is in none
    bool isFound = false;
};

struct CoarseningResults {
    std::vector<CoarseningRun> runs;
    std::vector<LibraryInfo> libraries;
    std::string compiler;  ///< its first line of --version, and the flags
    double secondsPerConfiguration = 0.0;
    [[nodiscard]] std::vector<std::string> foundLibraries() const;
};

/// The largest difference of gradients that counts as rounding.
inline constexpr double MostApart = 1e-9;

/// Receives a line on what happens.
using OnStep = std::function<void(const std::string&)>;

/// Errors: a name in `only` that no benchmark has (InvalidInput), no compiler (Io), stopped (Cancelled). A benchmark that cannot be
/// made or compiled is a result with a `failure`.
[[nodiscard]] Result<CoarseningResults> runCoarsening(const CoarseningPlan& plan, const OnStep& onStep);

}  // namespace mitos::experiments
