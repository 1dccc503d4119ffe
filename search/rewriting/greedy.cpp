// SPDX-License-Identifier: GPL-3.0-or-later
// Greedy best-first search: the baseline of the Knossos paper's section 5, f(s) = c(s0) - c(s), no horizon.
#include "search/rewriting/internal/best_first.h"
#include "search/rewriting/internal/space_strategy.h"
#include "search/rewriting/rewriting.h"

namespace mitos::search {

std::unique_ptr<Strategy> makeGreedy(ValueInfos values) {
    ParameterInfo horizon = depthParameter("Steps within which the value function expects reductions.", 10);
    horizon.name = "horizon";
    horizon.title = "Horizon";
    return makeSpaceStrategy(
        {.name = "greedy",
         .label = "Greedy",
         .title = "Greedy best-first",
         .description =
             "Always expands the cheapest program that is left (with a value function, the one with the lowest "
             "expected cost). It is fast, but does not cross hills of cost. Knossos paper, section 5.",
         .parameters = {std::move(horizon)}},
        std::move(values), "zero", [](StateSpace& space, ValueFunction& value, const SearchProblem& problem) {
            searchBestFirst(
                space, value,
                {.depth = {}, .timeLeft = parameter<std::uint32_t>(problem, "horizon"), .batch = value.leastBatch()});
            return space.finish(StopReason::Exhausted);
        });
}

}  // namespace mitos::search
