// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the coarsening experiment, as text.
#pragma once

#include "search/experiments/coarsening.h"
#include "search/experiments/report_table.h"

#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

/// Table 3: differentiation and iterations, by reverse mode and coarsened, beside the paper's speed-ups.
[[nodiscard]] ReportTable speedUps(const CoarseningResults& results);
/// All tables of the report, the most important ones first; a table without rows is left out.
[[nodiscard]] std::vector<ReportTable> coarseningTables(const CoarseningResults& results);
/// The names of all tables, in their order.
[[nodiscard]] std::vector<std::string_view> coarseningParts();
/// Fails if a name is of no table; the error lists all.
[[nodiscard]] Status requireCoarseningParts(const std::vector<std::string>& names);

/// The largest difference of any result from that of dual numbers.
[[nodiscard]] double mostApart(const ConfigurationTimes& configuration);

/// The times of a gradient; for CartPole with its network.
[[nodiscard]] const std::vector<ToolTime>& differentiation(const ConfigurationTimes& times);
/// How many times as fast; 0 if one of them is missing.
[[nodiscard]] double speedUp(const ToolTime* slow, const ToolTime* fast);
/// The fastest library of those found; null if none was measured.
[[nodiscard]] const ToolTime* fastestLibrary(const CoarseningResults& results, const std::vector<ToolTime>& times);

/// A time with three significant digits and its unit.
[[nodiscard]] std::string timeText(double seconds);

}  // namespace mitos::search::experiments
