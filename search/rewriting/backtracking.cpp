// SPDX-License-Identifier: GPL-3.0-or-later
// Cost-based backtracking search with a relaxation factor: Jia et al., "Optimizing DNN Computation with Relaxed Graph
// Substitutions" (MLSys 2019), as used by TASO; section 3.2 of the e-graph MCTS paper names it as the baseline.
#include "search/rewriting/internal/best_first.h"
#include "search/rewriting/internal/space_strategy.h"
#include "search/rewriting/rewriting.h"

namespace mitos::search {

std::unique_ptr<Strategy> makeBacktracking() {
    return makeSpaceStrategy(
        {.name = "backtracking",
         .label = "Backtracking",
         .title = "Backtracking with a relaxation factor",
         .description =
             "Expands the cheapest program that is left, like greedy search, and prunes every program that costs "
             "`relaxation` times the best so far or more. It is fast and ends by itself. Jia et al. 2019, relaxed "
             "graph substitutions (their factor is called alpha); e-graph MCTS paper, section 3.2.",
         .parameters =
             {{.name = "relaxation",
               .title = "Relaxation",
               .help =
                   "Programs that cost this times the best or more are pruned: 1.05 as in the paper; above 1 the cost "
                   "may rise on the way.",
               .defaultValue = 1.05,
               .minimum = 1.0,
               .maximum = 1e9}}},
        [](StateSpace& space, const SearchProblem& problem) {
            ZeroValue none;
            searchBestFirst(space, none, {.depth = {}, .relaxation = parameter<double>(problem, "relaxation")});
            return space.finish(space.allExpanded() ? StopReason::Exhausted : StopReason::Pruned);
        });
}

}  // namespace mitos::search
