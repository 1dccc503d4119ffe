// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the coarsening experiment, as text.
#pragma once

#include "core/experiments/coarsening.h"

#include <string>
#include <vector>

namespace mitos::experiments {

struct Table {
    std::string title;
    std::string text = {};  ///< the subject of the table and its columns
    std::vector<std::string> head = {};
    std::vector<std::vector<std::string>> rows = {};
};

/// Table 3: differentiation and iterations, by reverse mode and coarsened, beside the paper's speed-ups.
[[nodiscard]] Table speedUps(const CoarseningResults& results);
/// All tables of the report, the most important ones first; a table without rows is left out.
[[nodiscard]] std::vector<Table> coarseningTables(const CoarseningResults& results);
/// The findings, a sentence each.
[[nodiscard]] std::vector<std::string> coarseningFindings(const CoarseningResults& results);

/// The largest difference of any result from that of dual numbers.
[[nodiscard]] double mostApart(const ConfigurationTimes& configuration);

/// A time with three significant digits and its unit.
[[nodiscard]] std::string timeText(double seconds);

}  // namespace mitos::experiments
