// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers that "Optimizing Tensor Computation Graphs with Equality Saturation and Monte Carlo Tree Search" (PACT 2024) reports for
// two GPUs, to be shown beside ours.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace mitos::search::experiments {

/// The GPU whose operator times the paper's searches ran under: an NVIDIA A100 with 80 GB (Tables 1 and 2), or a P100 with 16 GB, for nine
/// of the thirteen networks (Tables 3 and 4).
enum class PaperDevice : std::uint8_t { A100, P100 };
[[nodiscard]] const char* toString(PaperDevice device);  ///< "A100"
/// Takes "a100" and "p100"; the error lists both.
[[nodiscard]] Result<PaperDevice> paperDeviceNamed(std::string_view name);

/// A column of its Table 1 or 3: runtimes in ms, as predicted from the initial e-graph.
struct PaperInitialCosts {
    std::string_view model;  ///< name of the network (networks::allNetworks())
    double exact = 0.0;      ///< by integer programming
    double tree = 0.0;       ///< by the default cost function
    double paper = 0.0;      ///< by the paper's cost function
};
/// Nothing for a program that the paper has no numbers for on that device.
[[nodiscard]] std::optional<PaperInitialCosts> paperInitialCosts(PaperDevice device, std::string_view model);

/// Mean and standard deviation over five runs.
struct PaperMeasure {
    double mean = 0.0;
    double deviation = 0.0;
};
/// A row of its Table 2 or 4.
struct PaperResult {
    std::string_view model;
    std::string_view approach;          ///< Approach::name
    std::uint32_t multiIterations = 0;  ///< k_multi of TENSAT; 0 for the others
    PaperMeasure gain;     ///< "runtime speedup": the part of the original runtime that is saved, in per cent
    PaperMeasure seconds;  ///< "optimization time"
};
[[nodiscard]] std::optional<PaperResult> paperResult(PaperDevice device, std::string_view model,
                                                     std::string_view approach);

/// The number of rules, of 139, that an approach used in the runs of Figures 7, 8 and 10 (A100).
[[nodiscard]] std::optional<std::uint32_t> paperRulesUsed(std::string_view approach);
inline constexpr std::uint32_t PaperRules = 139;

}  // namespace mitos::search::experiments
