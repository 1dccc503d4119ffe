// SPDX-License-Identifier: GPL-3.0-or-later
// Rewriting without search: applies the first rewrite that leads to a new program until none does, either at any cost or only if
// the cost does not increase.
#include "search/rewriting/internal/space_strategy.h"
#include "search/rewriting/rewriting.h"

namespace mitos::search {

namespace {

enum class Steps : std::uint8_t { AtAnyCost, NeverMoreExpensive };

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
SearchResult rewriteOn(StateSpace& space, Steps steps, std::uint32_t depth) {
    ExpressionId at = space.start();
    for (std::uint32_t step = 0; step < depth; ++step) {
        const ExpressionId next = firstNew(space, at, steps);
        if (!next.isValid()) return space.finish(StopReason::Exhausted, at);
        at = next;
    }
    return space.finish(StopReason::Depth, at);
}

}  // namespace

std::unique_ptr<Strategy> makeExhaust() {
    return makeSpaceStrategy(
        {.name = ExhaustName,
         .label = "Exhaustive rewriting",
         .title = "Rewrite until nothing applies",
         .description =
             "Takes the first rewrite that leads to a new program, at any cost, until there is none. For rules "
             "whose order does not matter.",
         .parameters = {depthParameter("Largest number of steps.", 200, {.most = 100000})}},
        [](StateSpace& space, const SearchProblem& problem) {
            return rewriteOn(space, Steps::AtAnyCost, parameter<std::uint32_t>(problem, "depth"));
        });
}

std::unique_ptr<Strategy> makeSimplify() {
    constexpr std::uint32_t MostSteps = 100'000;  // a user's rules may not terminate
    return makeSpaceStrategy(
        {.name = SimplifyName,
         .label = "Simplify",
         .title = "Simplify",
         .description =
             "Takes the first rewrite that leads to a new program and does not increase the cost, until there is "
             "none. For rules that are always beneficial.",
         .parameters = {}},
        [](StateSpace& space, const SearchProblem&) { return rewriteOn(space, Steps::NeverMoreExpensive, MostSteps); });
}

}  // namespace mitos::search
