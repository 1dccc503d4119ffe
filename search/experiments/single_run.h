// SPDX-License-Identifier: GPL-3.0-or-later
// One run of the experiment.
#pragma once

#include "core/egraph/snapshot.h"
#include "search/experiments/plan.h"
#include "search/experiments/record.h"
#include "search/saturation/saturation_run.h"

#include <optional>
#include <stop_token>
#include <string>

namespace mitos::search::experiments {

/// A run that has ended, with what is stored beside its record.
struct FinishedRun {
    RunRecord record;
    std::optional<egraph::Snapshot> first = {};  ///< the e-graph of the start; nothing without e-graphs
    std::optional<egraph::Snapshot> last = {};   ///< when it no longer grew, with the program that was extracted
    std::string result;                          ///< the best program as text
};

/// Grows an e-graph by the approach's strategy, with the settings of the plan, and extracts. The strategy keeps to the paper: the result is
/// what the final method takes from the e-graph at the end, not what simulations met. TENSAT is repeated with a larger k_multi until its
/// e-graph meets a limit or no longer changes; the time is that of the last repetition. TASO's backtracking has the relaxation 1.05 of
/// its publication, and all of the time limit unless no program is left to rewrite. "mcts" is the strategy as Mitos runs it by default, within
/// the limits of the others: what it extracts is its result.
///
/// Deterministic for a seed but for times, unless the time limit ends the run. Fails as the strategy does; Cancelled after a stop.
[[nodiscard]] Result<FinishedRun> runOnce(const ExperimentPlan& plan, const RunKey& key, const EGraphRules& rules,
                                          const std::stop_token& stop);

}  // namespace mitos::search::experiments
