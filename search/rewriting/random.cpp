// SPDX-License-Identifier: GPL-3.0-or-later
// Random rollouts: the baseline of the Knossos paper's section 5.
#include "core/base/random.h"

#include "search/rewriting/internal/space_strategy.h"
#include "search/rewriting/rewriting.h"

namespace mitos::search {

namespace {

/// After this many consecutive rollouts without a new program, the space within the depth counts as exhausted.
constexpr int FruitlessRollouts = 1000;

void rollOut(StateSpace& space, std::uint32_t depth, Random& random) {
    ExpressionId at = space.start();
    for (std::uint32_t step = 0; step < depth; ++step) {
        const auto successors = space.expand(at, 0);
        if (!successors || successors->empty()) return;
        const StateSpace::Reached next = space.reach(at, (*successors)[random.below(successors->size())]);
        if (!next.id.isValid()) return;
        at = next.id;
    }
}

}  // namespace

std::unique_ptr<Strategy> makeRandom() {
    return makeSpaceStrategy(
        {.name = "random",
         .label = "Random rollouts",
         .title = "Random rollouts",
         .description =
             "Applies random rewrites, and starts again after `depth` steps. A baseline. Knossos paper, section "
             "5.",
         .parameters = {depthParameter("Number of steps of a rollout.", 10)},
         .randomized = true},
        [](StateSpace& space, const SearchProblem& problem) {
            Random random(problem.seed);
            space.repeat(FruitlessRollouts,
                         [&] { rollOut(space, parameter<std::uint32_t>(problem, "depth"), random); });
            return space.finish(space.allExpanded() ? StopReason::Exhausted : StopReason::Depth);
        });
}

}  // namespace mitos::search
