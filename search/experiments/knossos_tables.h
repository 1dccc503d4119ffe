// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the Knossos experiment.
#pragma once

#include "search/experiments/knossos_results.h"
#include "search/experiments/report_table.h"

#include <string>
#include <vector>

namespace mitos::search::experiments {

/// Totals of all searches by their evaluations, with intervals over the repetitions, beside the paper's. Without rows if there are no runs, as those below.
[[nodiscard]] ReportTable totalsTable(const KnossosResults& results, KnossosTask task);
/// Gains over the best search without learning, program by program, by the number of evaluations.
[[nodiscard]] ReportTable gainsTable(const KnossosResults& results, KnossosTask task);
/// The effort of searches to come to totals without learning: to the best of all, and A* to those of A* as well.
[[nodiscard]] ReportTable effortTable(const KnossosResults& results, KnossosTask task);
/// The costs of single programs.
[[nodiscard]] ReportTable programTable(const KnossosResults& results, KnossosTask task);
/// The trainings: what is trained, how long it takes, and how fast its values are.
[[nodiscard]] ReportTable trainingTable(const KnossosResults& results);

/// "125.40", or "125.40 (124.90 to 125.80)" for several numbers.
[[nodiscard]] std::string totalText(const std::vector<double>& totals);

/// All searches, for scripts.
[[nodiscard]] std::string knossosRunsCsv(const KnossosResults& results);

}  // namespace mitos::search::experiments
