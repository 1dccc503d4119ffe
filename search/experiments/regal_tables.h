// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the REGAL experiment.
#pragma once

#include "search/experiments/regal_results.h"
#include "search/experiments/report_table.h"

#include <string>
#include <vector>

namespace mitos::search::experiments {

/// All methods on a task and set, beside the paper's numbers. Without rows if there are no runs.
[[nodiscard]] ReportTable methodTable(const RegalResults& results, RegalTask task, RegalSet set);
/// The gains of REGAL on each network.
[[nodiscard]] ReportTable networkTable(const RegalResults& results);
/// Gains on the generated graphs and on their noisy variants.
[[nodiscard]] ReportTable noiseTable(const RegalResults& results);
/// Gains by the number of evaluations.
[[nodiscard]] ReportTable evaluationTable(const RegalResults& results);
/// The models that methods use: what they are, and how they were trained.
[[nodiscard]] ReportTable modelTable(const RegalResults& results);
/// The best models by their rounds of messages.
[[nodiscard]] ReportTable roundsTable(const RegalResults& results);
/// The paper's numbers with their sources, and those that could not be had.
[[nodiscard]] ReportTable paperTable(const RegalResults& results);

/// A model and its method, in words: "REGAL, memory".
[[nodiscard]] std::string roleText(const RegalModel& model);
/// The models of graph networks with as many evaluations in training as those of REGAL's model for the objective, the best for each number of
/// rounds. Those that see nothing or were trained with other searches are left out.
[[nodiscard]] std::vector<const RegalModel*> bestByRounds(const RegalResults& results, placement::Objective objective);

/// All searches, for scripts.
[[nodiscard]] std::string regalRunsCsv(const RegalResults& results);

}  // namespace mitos::search::experiments
