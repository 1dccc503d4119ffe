// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the PyPM experiment.
#pragma once

#include "search/experiments/pypm_results.h"
#include "search/experiments/report_table.h"

#include <string>

namespace mitos::search::experiments {

/// "1.05", with so many digits that differences beyond noise are seen.
[[nodiscard]] std::string speedupText(double speedup);

/// Mean speed-ups by suite, measure and compilation. Without rows if there are no runs, as those below.
[[nodiscard]] ReportTable speedupSummaryTable(const PypmResults& results);
/// The speed-ups of all models under a measure.
[[nodiscard]] ReportTable speedupTable(const PypmResults& results, const PypmMeasure& measure);
/// Matching time to the fixed point and matches of all models.
[[nodiscard]] ReportTable matchingTable(const PypmResults& results);
/// The nodes that each rule rewrote, in the compilation with both optimizations.
[[nodiscard]] ReportTable pypmRuleTable(const PypmResults& results);

/// All compilations, for scripts.
[[nodiscard]] std::string pypmRunsCsv(const PypmResults& results);

}  // namespace mitos::search::experiments
