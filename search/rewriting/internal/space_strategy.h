// SPDX-License-Identifier: GPL-3.0-or-later
// A strategy over the state space: its description, and a function that decides what to expand next.
#pragma once

#include "search/rewriting/internal/state_space.h"
#include "search/rewriting/value.h"

#include <functional>
#include <memory>
#include <string>
#include <type_traits>

namespace mitos::search {

/// Searches the opened space and returns what StateSpace::finish() returns. `problem` is the problem in the space's own bank, with a
/// value for each parameter of the strategy.
using SearchSpace = std::function<SearchResult(StateSpace& space, const SearchProblem& problem)>;
using SearchWithValue =
    std::function<SearchResult(StateSpace& space, ValueFunction& value, const SearchProblem& problem)>;

[[nodiscard]] std::unique_ptr<Strategy> makeSpaceStrategy(StrategyInfo info, SearchSpace search);
/// The same for a strategy that uses a value function. Its description gets the parameters `value` (one of the names in `values`, by
/// default `usual`) and those of all these value functions, none of which the strategy itself has.
[[nodiscard]] std::unique_ptr<Strategy> makeSpaceStrategy(StrategyInfo info, ValueInfos values, std::string usual,
                                                          SearchWithValue search);

/// The value of a parameter; a count is a parameter that is a whole number.
template <typename Value>
[[nodiscard]] Value parameter(const SearchProblem& problem, const std::string& name) {
    using Stored = std::conditional_t<std::is_same_v<Value, std::uint32_t>, std::int64_t, Value>;
    return static_cast<Value>(std::get<Stored>(problem.parameters.at(name)));
}

}  // namespace mitos::search
