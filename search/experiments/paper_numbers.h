// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers that "Optimizing Tensor Computation Graphs with Equality Saturation and Monte Carlo Tree Search" (PACT 2024) reports for
// an NVIDIA A100, to be shown beside ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mitos::search::experiments {

/// A column of its Table 1: runtimes in ms, as predicted from the initial e-graph.
struct PaperInitialCosts {
    std::string_view model;  ///< name of the network (networks::allNetworks())
    double exact = 0.0;      ///< by integer programming
    double tree = 0.0;       ///< by the default cost function
    double paper = 0.0;      ///< by the paper's cost function
};
/// Nothing for a program that is not one of the paper's networks.
[[nodiscard]] std::optional<PaperInitialCosts> paperInitialCosts(std::string_view model);

/// Mean and standard deviation over five runs.
struct PaperMeasure {
    double mean = 0.0;
    double deviation = 0.0;
};
/// A row of its Table 2.
struct PaperResult {
    std::string_view model;
    std::string_view approach;          ///< Approach::name
    std::uint32_t multiIterations = 0;  ///< k_multi of TENSAT; 0 for the others
    PaperMeasure gain;     ///< "runtime speedup": the part of the original runtime that is saved, in per cent
    PaperMeasure seconds;  ///< "optimization time"
};
[[nodiscard]] std::optional<PaperResult> paperResult(std::string_view model, std::string_view approach);

/// The number of rules, of 139, that an approach used in the runs of Figures 7, 8 and 10.
[[nodiscard]] std::optional<std::uint32_t> paperRulesUsed(std::string_view approach);
inline constexpr std::uint32_t PaperRules = 139;

}  // namespace mitos::search::experiments
