// SPDX-License-Identifier: GPL-3.0-or-later
// A* over (expression, time left): Algorithm 2 and equation 3 of the Knossos paper.
#include "search/rewriting/internal/best_first.h"
#include "search/rewriting/internal/space_strategy.h"
#include "search/rewriting/rewriting.h"

namespace mitos::search {

std::unique_ptr<Strategy> makeAStar(ValueInfos values) {
    StrategyInfo info{
        .name = "astar",
        .label = "A* search",
        .title = "A* over (expression, time left)",
        .description =
            "Expands the state with the highest cost reduction so far plus the reduction that the value function "
            "expects in the time left, at most `depth` steps from the start. An expression that is reached again "
            "by a shorter path is expanded again. Knossos paper, section 3.1, Algorithm 2.",
        .parameters = {depthParameter(
            "Largest number of steps from the start: 10 for arithmetic, 30 to 40 for whole programs (the paper's "
            "Table 1), hundreds for networks.",
            10)}};
    return makeSpaceStrategy(std::move(info), std::move(values), "potential",
                             [](StateSpace& space, ValueFunction& value, const SearchProblem& problem) {
                                 searchBestFirst(space, value,
                                                 {.depth = parameter<std::uint32_t>(problem, "depth"),
                                                  .reference = space.cost(space.start()),
                                                  .batch = value.leastBatch()});
                                 return space.finish(space.allExpanded() ? StopReason::Exhausted : StopReason::Depth);
                             });
}

}  // namespace mitos::search
