// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a strategy repeatedly within one budget.
#pragma once

#include "search/strategy.h"

#include <memory>

namespace mitos::search {

/// Returns the strategy with two more parameters. `restarts` (default 0) is the number of further runs; each run has its own seed
/// and an equal share of the remaining budget. `restart_from`, which only randomized strategies have, is where further runs begin:
/// "start", or "best", the best program so far; the threads are then concatenated, and the whole thread is checked. Deterministic
/// strategies always continue from the best, since from the start they would repeat themselves; after a run that found nothing
/// better, the next run gets all of the remaining budget and is the last.
///
/// Each run has its own bank, and an expression that several runs price counts as an evaluation in each. A run that exhausted the
/// search space, reached the memory limit or was stopped is the last.
[[nodiscard]] std::unique_ptr<Strategy> withRestarts(std::unique_ptr<Strategy> strategy);

}  // namespace mitos::search
