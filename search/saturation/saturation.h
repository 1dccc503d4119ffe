// SPDX-License-Identifier: GPL-3.0-or-later
// Searching by equality saturation: all rewrites of all programs met so far at once, in an e-graph, and then the cheapest of
// the programs it stands for.
#pragma once

#include "search/strategy.h"

#include <memory>

namespace mitos::search {

/// Saturates with a scheduler that bans rules with very many matches for a while, extracts the cheapest program under the
/// problem's cost model after each iteration, and explains it: the thread leads from the start to it by instances of the rules,
/// some of them reversed.
///
/// An evaluation is a distinct term that extraction priced: of one e-node, over the cheapest terms of its children. A state is a
/// live e-node; an expansion an iteration; rewrites are matches found. Needs rules of rule files (error: Unsupported).
[[nodiscard]] std::unique_ptr<Strategy> makeSaturation();

/// The same as TENSAT schedules it (egraph-mcts.txt 3.2): in each iteration first the rules with several roots, which take part
/// in the first k_multi iterations only, then the others.
[[nodiscard]] std::unique_ptr<Strategy> makeTensat();

}  // namespace mitos::search
