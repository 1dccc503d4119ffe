// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers that "Optimizing Tensor Computation Graphs with Equality Saturation and Monte Carlo Tree Search" (PACT 2024) reports for
// two GPUs, to be shown beside ours: resources/experiments/egraph-mcts-paper.json.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

/// The GPU whose operator times the paper's searches ran under: an NVIDIA A100 with 80 GB (Tables 1 and 2), or a P100 with 16 GB, for nine
/// of the thirteen networks (Tables 3 and 4).
enum class PaperDevice : std::uint8_t { A100, P100 };
[[nodiscard]] const char* toString(PaperDevice device);  ///< "A100"
/// Takes "a100" and "p100"; the error lists both.
[[nodiscard]] Result<PaperDevice> paperDeviceNamed(std::string_view name);

/// A column of its Table 1 or 3: runtimes in ms, as predicted from the initial e-graph.
struct PaperInitialCosts {
    PaperDevice device = PaperDevice::A100;
    std::string model;   ///< name of the network (networks::allNetworks())
    double exact = 0.0;  ///< by integer programming
    double tree = 0.0;   ///< by the default cost function
    double paper = 0.0;  ///< by the paper's cost function
};

/// Mean and standard deviation over five runs.
struct PaperMeasure {
    double mean = 0.0;
    double deviation = 0.0;
};
/// A row of its Table 2 or 4.
struct PaperResult {
    PaperDevice device = PaperDevice::A100;
    std::string model;
    std::string approach;               ///< Approach::name
    std::uint32_t multiIterations = 0;  ///< k_multi of TENSAT; 0 for the others
    PaperMeasure gain;     ///< "runtime speedup": the part of the original runtime that is saved, in per cent
    PaperMeasure seconds;  ///< "optimization time"
};

/// All of them. Without any, reports have no numbers of the paper.
struct PaperNumbers {
    std::vector<PaperInitialCosts> initialCosts;
    std::vector<PaperResult> results;
    std::uint32_t rules = 0;  ///< of the paper, 139
    /// The number of rules that an approach used in the runs of Figures 7, 8 and 10 (A100).
    std::vector<std::pair<std::string, std::uint32_t>> rulesUsed;

    /// Nothing for a program that the paper has no numbers for on that device; the same below.
    [[nodiscard]] std::optional<PaperInitialCosts> initialCostsOf(PaperDevice device, std::string_view model) const;
    [[nodiscard]] std::optional<PaperResult> result(PaperDevice device, std::string_view model,
                                                    std::string_view approach) const;
    [[nodiscard]] std::optional<std::uint32_t> rulesUsedBy(std::string_view approach) const;
};

/// Reads a data file, whose name is for messages. Fails if it is not of the format, names an unknown device or approach, says a number
/// twice, or holds an impossible one: a cost that is not above 0, a negative time or deviation, a gain above 100 %.
[[nodiscard]] Result<PaperNumbers> readPaperNumbers(std::string_view file, std::string_view text);
/// Reads the file that comes with Mitos.
[[nodiscard]] Result<PaperNumbers> paperNumbers();

}  // namespace mitos::search::experiments
