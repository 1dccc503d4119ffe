// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluation of the coarsening paper (its section 7.2): gradients of six benchmarks in three configurations each, by reverse mode with and
// without coarsening, dual numbers, and libraries that the machine has. All are compiled alike and timed alternately in one process.
#pragma once

#include "core/base/result.h"

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::experiments {

/// A benchmark of the paper. Its gradient is that of the first parameter of the sample.
struct CoarseningBenchmark {
    const char* name;
    const char* sample;  ///< file in samples/coarsening, without extension
    int number;          ///< in resources/experiments/coarsening.txt
    /// Table 3: the speed-ups of differentiation and of an iteration on the server, a configuration each.
    double paperDifferentiation[3];
    double paperOverall[3];
    /// A sample with a function for each configuration, whose sizes are constants: coarsening takes these. nullptr: there is none.
    const char* constants = nullptr;
    std::array<const char*, 3> functions = {};
};
[[nodiscard]] std::span<const CoarseningBenchmark> coarseningBenchmarks();

struct CoarseningPlan {
    std::vector<std::string> only;  ///< names of benchmarks; empty: all
    double secondsPerConfiguration = 2.0;
    std::size_t sizeLimit = 600;  ///< of segments (coarsening::CoarsenOptions)
    std::string compiler = "c++";
    std::stop_token stop = {};
};

/// The time of a call of one tool in one configuration, in seconds.
struct ToolTime {
    std::string tool;  ///< "primal", "plain", "coarsened", "without", "dual numbers", "ADOL-C", "Ceres jets"
    double median = 0.0;
    double lowest = 0.0;
    double highest = 0.0;
    double apart = 0.0;  ///< largest difference from dual numbers, relative to the gradient's largest element
    std::size_t calls = 0;
};

struct ConfigurationTimes {
    std::string name;
    std::vector<ToolTime> tools;
    [[nodiscard]] const ToolTime* find(std::string_view tool) const;
};

struct CoarseningRun {
    const CoarseningBenchmark* benchmark = nullptr;
    std::string failure;  ///< why there are no times; empty if there are
    std::size_t segments = 0;
    bool isWhole = false;   ///< the whole function is one segment
    std::size_t steps = 0;  ///< of the threads to the symbolic forms
    double symbolicSeconds = 0.0;
    std::vector<ConfigurationTimes> configurations;
};

struct CoarseningResults {
    std::vector<CoarseningRun> runs;
    std::vector<std::string> libraries;  ///< found on this machine
    std::string compiler;                ///< its first line of --version, and the flags
};

/// The largest difference of gradients that counts as rounding.
inline constexpr double MostApart = 1e-9;

/// Receives a line on what happens.
using OnStep = std::function<void(const std::string&)>;

/// Errors: a name in `only` that no benchmark has (InvalidInput), no compiler (Io), stopped (Cancelled). A benchmark that cannot be
/// made or compiled is a result with a `failure`.
[[nodiscard]] Result<CoarseningResults> runCoarsening(const CoarseningPlan& plan, const OnStep& onStep);

}  // namespace mitos::experiments
