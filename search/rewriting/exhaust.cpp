// SPDX-License-Identifier: GPL-3.0-or-later
// Rewriting without search: applies the first rewrite that leads to a new program until none does, either at any cost or only if
// the cost does not increase.
#include "search/rewriting/state_space.h"
#include "search/rewriting/strategies.h"

namespace mitos::search {

namespace {

enum class Steps : std::uint8_t { AtAnyCost, NeverDearer };

/// The first new successor that `steps` allows; an invalid id if there is none.
ExpressionId firstNew(StateSpace& space, ExpressionId at, Steps steps) {
    const auto successors = space.expand(at, 0);
    if (!successors) return {};
    for (const Successor& successor : *successors) {
        const auto [arrival, id] = space.reach(at, successor);
        if (arrival == StateSpace::Arrival::Refused) break;
        if (arrival != StateSpace::Arrival::New) continue;
        if (steps == Steps::AtAnyCost || !isLower(space.cost(at), space.cost(id))) return id;
    }
    return {};
}

/// Applies at most `depth` steps, one after the other.
Result<SearchResult> rewriteOn(const SearchProblem& problem, Steps steps, std::int64_t depth, std::stop_token stop,
                               Observer& observer) {
    Result<std::unique_ptr<StateSpace>> opened = StateSpace::open(problem, std::move(stop), observer);
    if (!opened) return std::move(opened).error();
    StateSpace& space = **opened;
    ExpressionId at = space.start();
    for (std::int64_t step = 0; step < depth; ++step) {
        const ExpressionId next = firstNew(space, at, steps);
        if (!next.isValid()) return space.finish(StopReason::Exhausted, at);
        at = next;
    }
    return space.finish(StopReason::Depth, at);
}

class Exhaust final : public DescribedStrategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        const std::int64_t depth = std::get<std::int64_t>(parameters.at("depth"));
        return rewriteOn(problem, Steps::AtAnyCost, depth, std::move(stop), observer);
    }

private:
    StrategyInfo m_info{.name = "exhaust",
                        .title = "Rewrite until nothing applies",
                        .description =
                            "Takes the first rewrite that leads to a program not met before, whatever it "
                            "costs, until there is none. For rules whose order does not matter.",
                        .parameters = {depthParameter("Steps at most.", 200, {}, {.most = 100000})}};
};

class Simplify final : public DescribedStrategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& /*parameters*/, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        return rewriteOn(problem, Steps::NeverDearer, MostSteps, std::move(stop), observer);
    }

private:
    static constexpr std::int64_t MostSteps = 100'000;  // a user's rules may not terminate

    StrategyInfo m_info{.name = SimplifyName,
                        .title = "Simplify",
                        .description =
                            "Takes the first rewrite that leads to a program not met before and costs no more, until "
                            "there is none. For rules that are always good.",
                        .parameters = {}};
};

}  // namespace

std::unique_ptr<Strategy> makeExhaust() { return std::make_unique<Exhaust>(); }
std::unique_ptr<Strategy> makeSimplify() { return std::make_unique<Simplify>(); }

}  // namespace mitos::search
