// SPDX-License-Identifier: GPL-3.0-or-later
// Running a strategy again and again within one budget.
#pragma once

#include "search/strategy.h"

#include <memory>

namespace mitos::search {

/// The strategy with two more parameters. `restarts` (0: none) runs it that many times again, each run with a seed of its
/// own and an equal share of what is left of the budget. `restart_from`, of randomized strategies only, is where they
/// begin: "start", or "best", the best program so far; the threads are then joined, and the joined one is checked. Others
/// begin at the best, since from the start they would repeat themselves; and once a run of theirs found nothing better,
/// the next gets all that is left and is the last.
///
/// Each run has a bank of its own, and an expression that several runs cost counts as an evaluation in each. A run that
/// met everything there is, ran into the memory limit or was stopped is the last.
[[nodiscard]] std::unique_ptr<Strategy> withRestarts(std::unique_ptr<Strategy> strategy);

}  // namespace mitos::search
