// SPDX-License-Identifier: GPL-3.0-or-later
// Cost-based backtracking search with a relaxation factor: Jia et al., "Optimizing DNN Computation with Relaxed Graph
// Substitutions" (MLSys 2019), as used by TASO; section 3.2 of the e-graph MCTS paper names it as the baseline.
#include "search/rewriting/strategies.h"
#include "search/rewriting/waiting.h"

#include <algorithm>

namespace mitos::search {

namespace {

class Backtracking final : public DescribedStrategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        const double relaxation = std::get<double>(parameters.at("relaxation"));
        Result<std::unique_ptr<StateSpace>> opened = StateSpace::open(problem, std::move(stop), observer);
        if (!opened) return std::move(opened).error();
        StateSpace& space = **opened;

        double best = space.cost(space.start());
        WaitingQueue waiting;
        waiting.push({best, space.start()});
        while (!waiting.empty()) {
            const ExpressionId expression = waiting.top().expression;
            waiting.pop();
            space.hold(bytesOf(waiting));
            const auto successors = space.expand(expression, waiting.size());
            if (!successors) break;
            for (const Successor& successor : *successors) {
                const auto [arrival, id] = space.reach(expression, successor);
                if (arrival == StateSpace::Arrival::Refused) break;
                if (arrival != StateSpace::Arrival::New) continue;
                best = std::min(best, space.cost(id));
                if (space.cost(id) < relaxation * best) waiting.push({space.cost(id), id});
            }
        }
        return space.finish(space.allExpanded() ? StopReason::Exhausted : StopReason::Pruned);
    }

private:
    StrategyInfo m_info{
        .name = "backtracking",
        .title = "Backtracking with a relaxation factor",
        .description =
            "Always goes on from the cheapest program that waits, like greedy search, and gives up every program that "
            "costs `relaxation` times the best so far or more: quick, and it ends by itself. Jia et al. 2019, relaxed "
            "graph substitutions (their factor is called alpha); the e-graph MCTS paper, section 3.2.",
        .parameters = {{.name = "relaxation",
                        .title = "Relaxation",
                        .help = "A program is kept while it costs less than this times the best: 1.05 as in the paper; "
                                "more lets it climb, 1 only ever goes down.",
                        .defaultValue = 1.05,
                        .minimum = 1.0,
                        .maximum = 1e9,
                        .choices = {}}}};
};

}  // namespace

std::unique_ptr<Strategy> makeBacktracking() { return std::make_unique<Backtracking>(); }

}  // namespace mitos::search
