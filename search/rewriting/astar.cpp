// SPDX-License-Identifier: GPL-3.0-or-later
// A* over (expression, time left): Algorithm 2 and equation 3 of the Knossos paper.
#include "search/rewriting/potential.h"
#include "search/rewriting/state_space.h"
#include "search/rewriting/strategies.h"
#include "search/rewriting/waiting.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace mitos::search {

namespace {

/// A state of the paper's search: an expression with the time left when it was put on the open list.
struct OpenState {
    double priority = 0.0;
    std::uint32_t timeLeft = 0;
    ExpressionId expression;
};

/// Orders the open list: highest priority first, then more time left, then the expression met first.
struct TakenLater {
    bool operator()(const OpenState& a, const OpenState& b) const {
        if (a.priority != b.priority) return a.priority < b.priority;
        if (a.timeLeft != b.timeLeft) return a.timeLeft < b.timeLeft;
        return a.expression > b.expression;
    }
};

StrategyInfo describe(bool withValue) {
    StrategyInfo info{
        .name = "astar",
        .title = "A* over (expression, time left)",
        .description =
            "Takes up the state with the highest cost reduction so far (plus the reduction expected in the "
            "time left, with a value function), at most `depth` steps from the start; an expression reached "
            "again by a shorter way is taken up again. Knossos paper, section 3.1, Algorithm 2.",
        .parameters = {
            depthParameter("Steps from the start at most: 10 for arithmetic, 30 to 40 for whole programs (the paper's "
                           "Table 1), hundreds for networks.",
                           10, 300)}};
    if (!withValue) {
        info.parameters.push_back({.name = "value",
                                   .title = "Value function",
                                   .help =
                                       "What is expected of a program: nothing (zero), or what binding its common "
                                       "subexpressions or simplifying its sums and products would save (potential).",
                                   .defaultValue = std::string("potential"),
                                   .choices = {"zero", "potential"}});
        info.parameters.push_back({.name = "discount",
                                   .title = "Discount",
                                   .help = "What a saving expected in one step counts, of two the square, and so on; "
                                           "for value=potential.",
                                   .defaultValue = 0.999,
                                   .minimum = 0.01,
                                   .maximum = 1.0,
                                   .choices = {}});
    } else {
        info.parameters.push_back({.name = "normalisation",
                                   .title = "Cost scale",
                                   .help = "How costs enter the priority beside the value estimate.",
                                   .defaultValue = std::string("none"),
                                   .choices = {"none", "log"}});
    }
    return info;
}

class AStar final : public DescribedStrategy {
public:
    AStar(StrategyInfo info, ValueFunctionFactory makeValue)
        : m_info(std::move(info)),
          m_makeValue(std::move(makeValue)) {}

    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        Result<std::unique_ptr<StateSpace>> space = StateSpace::open(problem, std::move(stop), observer);
        if (!space) return std::move(space).error();
        const auto scale = parameters.find("normalisation");
        const bool logarithms = scale != parameters.end() && scale->second == ParameterValue(std::string("log"));
        const auto depth = static_cast<std::uint32_t>(std::get<std::int64_t>(parameters.at("depth")));
        const std::unique_ptr<ValueFunction> value = valueOf(problem, **space, parameters);
        return (*space)->finish(search(**space, *value, depth, logarithms));
    }

private:
    [[nodiscard]] std::unique_ptr<ValueFunction> valueOf(const SearchProblem& problem, const StateSpace& space,
                                                         const ParameterValues& parameters) const {
        if (m_makeValue) return m_makeValue();
        if (parameters.at("value") == ParameterValue(std::string("zero"))) return std::make_unique<ZeroValue>();
        return makePotential(problem, space, std::get<double>(parameters.at("discount")));
    }

    [[nodiscard]] static StopReason search(StateSpace& space, ValueFunction& value, std::uint32_t depth,
                                           bool logarithms) {
        const auto scaled = [&](double cost) { return logarithms ? std::log1p(std::max(cost, 0.0)) : cost; };
        const double startCost = scaled(space.cost(space.start()));

        std::priority_queue<OpenState, std::vector<OpenState>, TakenLater> open;
        const auto put = [&](ExpressionId id) {
            const std::uint32_t timeLeft = depth - space.steps(id);
            const double reduction = startCost - scaled(space.cost(id));
            open.push({value.value(space.bank(), space.root(id), timeLeft) + reduction, timeLeft, id});
        };
        put(space.start());
        while (!open.empty()) {
            const OpenState state = open.top();
            open.pop();
            // The expression was reached by a shorter path since then; the state with more time left replaces this one.
            if (state.timeLeft < depth - space.steps(state.expression)) continue;
            space.hold(bytesOf(open) + value.bytes());
            const auto successors = space.expand(state.expression, open.size());
            if (!successors) break;
            for (const Successor& successor : *successors) {
                const auto [arrival, id] = space.reach(state.expression, successor);
                if (arrival == StateSpace::Arrival::Refused) break;
                const bool fresh = arrival == StateSpace::Arrival::New || arrival == StateSpace::Arrival::Closer;
                if (fresh && space.steps(id) < depth) put(id);
            }
        }
        return space.allExpanded() ? StopReason::Exhausted : StopReason::Depth;
    }

    StrategyInfo m_info;
    ValueFunctionFactory m_makeValue;
};

}  // namespace

std::unique_ptr<Strategy> makeAStar() { return std::make_unique<AStar>(describe(false), nullptr); }

std::unique_ptr<Strategy> makeAStar(ValueFunctionFactory makeValue) {
    return std::make_unique<AStar>(describe(true), std::move(makeValue));
}

}  // namespace mitos::search
