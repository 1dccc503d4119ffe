// SPDX-License-Identifier: GPL-3.0-or-later
// Greedy best-first search: the baseline of the Knossos paper's section 5, f(s) = c(s0) - c(s), no horizon.
#include "search/rewriting/strategies.h"
#include "search/rewriting/waiting.h"

namespace mitos::search {

namespace {

class Greedy final : public DescribedStrategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& /*parameters*/, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        Result<std::unique_ptr<StateSpace>> opened = StateSpace::open(problem, std::move(stop), observer);
        if (!opened) return std::move(opened).error();
        StateSpace& space = **opened;

        WaitingQueue waiting;
        waiting.push({space.cost(space.start()), space.start()});
        while (!waiting.empty()) {
            const ExpressionId expression = waiting.top().expression;
            waiting.pop();
            space.hold(bytesOf(waiting));
            const auto successors = space.expand(expression, waiting.size());
            if (!successors) break;
            for (const Successor& successor : *successors) {
                const auto [arrival, id] = space.reach(expression, successor);
                if (arrival == StateSpace::Arrival::Refused) break;
                if (arrival == StateSpace::Arrival::New) waiting.push({space.cost(id), id});
            }
        }
        return space.finish(StopReason::Exhausted);
    }

private:
    StrategyInfo m_info{.name = "greedy",
                        .title = "Greedy best-first",
                        .description =
                            "Always goes on from the cheapest program that was not taken up yet. Quick, and "
                            "blind to detours through dearer programs. Knossos paper, section 5.",
                        .parameters = {}};
};

}  // namespace

std::unique_ptr<Strategy> makeGreedy() { return std::make_unique<Greedy>(); }

}  // namespace mitos::search
