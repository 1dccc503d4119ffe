// SPDX-License-Identifier: GPL-3.0-or-later
// Measures which steps of a result pay in ONNX Runtime, where the whole result is not faster.
#pragma once

#include "app/cli/timing.h"
#include "search/paying_parts.h"

#include <filesystem>
#include <optional>
#include <stop_token>

namespace mitos::cli {

/// A result that was timed as a whole, and how its parts are measured.
struct WholeResult {
    const OpenProgram& open;
    ir::TermBank& bank;
    const rewrite::Thread& thread;
    const std::vector<double>& costs;
    timing::TimeRatio ratio;                    ///< of the whole result to the input
    std::optional<std::filesystem::path> file;  ///< of the input, if it is a model's
    onnx::ExportOptions exported;
    const cost::CostModelInfo& model;
    std::size_t measurements = 0;  ///< at most
};

[[nodiscard]] Result<search::PayingParts> payingSteps(const WholeResult& what, const TimingFlags& how, bool isQuiet,
                                                      const std::stop_token& stop);

void printPayingSteps(const search::PayingParts& parts);
[[nodiscard]] Json payingStepsJson(const search::PayingParts& parts);

}  // namespace mitos::cli
