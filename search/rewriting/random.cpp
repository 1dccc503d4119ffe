// SPDX-License-Identifier: GPL-3.0-or-later
// Random rollouts: the baseline of the Knossos paper's section 5.
#include "core/base/random.h"

#include "search/rewriting/state_space.h"
#include "search/rewriting/strategies.h"

namespace mitos::search {

namespace {

/// After this many consecutive rollouts without a new program, the space within the depth counts as exhausted.
constexpr int FruitlessRollouts = 1000;

class RandomRollouts final : public DescribedStrategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        Result<std::unique_ptr<StateSpace>> space = StateSpace::open(problem, std::move(stop), observer);
        if (!space) return std::move(space).error();
        const std::int64_t depth = std::get<std::int64_t>(parameters.at("depth"));
        Random random(problem.seed);
        int fruitless = 0;
        while (!(*space)->ended() && fruitless < FruitlessRollouts) {
            const std::size_t before = (*space)->size();
            rollOut(**space, depth, random);
            fruitless = (*space)->size() == before ? fruitless + 1 : 0;
        }
        return (*space)->finish((*space)->allExpanded() ? StopReason::Exhausted : StopReason::Depth);
    }

private:
    static void rollOut(StateSpace& space, std::int64_t depth, Random& random) {
        ExpressionId at = space.start();
        for (std::int64_t step = 0; step < depth; ++step) {
            const auto successors = space.expand(at, 0);
            if (!successors || successors->empty()) return;
            const StateSpace::Reached next = space.reach(at, (*successors)[random.below(successors->size())]);
            if (!next.id.isValid()) return;
            at = next.id;
        }
    }

    StrategyInfo m_info{
        .name = "random",
        .title = "Random rollouts",
        .description =
            "From the start, takes one of the possible rewrites at random, again and again, and starts anew "
            "after `depth` steps. A baseline. Knossos paper, section 5.",
        .parameters = {depthParameter("Steps of a rollout, after which it starts anew.", 10, 100)},
        .randomized = true};
};

}  // namespace

std::unique_ptr<Strategy> makeRandom() { return std::make_unique<RandomRollouts>(); }

}  // namespace mitos::search
