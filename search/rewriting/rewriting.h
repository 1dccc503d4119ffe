// SPDX-License-Identifier: GPL-3.0-or-later
// The strategies over destructive rewriting.
#pragma once

#include "search/rewriting/value.h"
#include "search/strategy.h"

#include <memory>

namespace mitos::search {

/// The value functions that `value` may name are those of `values`, which contain "zero" and "potential"; A* uses the potential by
/// default, the others none.

/// Uniformly random rollouts from the start, restarted at the horizon (the paper's baseline in section 5).
[[nodiscard]] std::unique_ptr<Strategy> makeRandom();
/// Greedy best-first search: expands the state of least cost next, f(s) = c(s0) - c(s) (section 5).
[[nodiscard]] std::unique_ptr<Strategy> makeGreedy(ValueInfos values = allValueFunctions());
/// A* over (expression, time left), Algorithm 2: an expression that is reached again with more time left is expanded again.
[[nodiscard]] std::unique_ptr<Strategy> makeAStar(ValueInfos values = allValueFunctions());
/// Cost-based backtracking with a relaxation factor: programs that cost too much compared with the best are pruned.
[[nodiscard]] std::unique_ptr<Strategy> makeBacktracking();
/// Monte Carlo tree search, Algorithm 3; the value function is V in the rollout policy (equation 7).
[[nodiscard]] std::unique_ptr<Strategy> makeMcts(ValueInfos values = allValueFunctions());
/// Beam search: keeps the `width` states of each level with the least expected cost, with a limit per shape; repeated with a wider
/// beam while budget remains.
[[nodiscard]] std::unique_ptr<Strategy> makeBeam(ValueInfos values = allValueFunctions());
/// The pass of PyPM (rewrite::greedyPass), up to its cheapest program.
[[nodiscard]] std::unique_ptr<Strategy> makePypmGreedy();
/// Applies the first rewrite that leads to a new program until none does. The result is the last program, which may be more
/// expensive than the start; so this is only for phases of schedules and is not in the list of all strategies.
[[nodiscard]] std::unique_ptr<Strategy> makeExhaust();
/// The same, but takes only rewrites that do not increase the cost. Searches begin with it, for rules that are always beneficial
/// (those tagged AlwaysTag): their result is never more expensive under any model and does not make a better program unreachable,
/// so they use no budget of evaluations or states. Not in that list either.
[[nodiscard]] std::unique_ptr<Strategy> makeSimplify();
inline constexpr const char* SimplifyName = "simplify";
inline constexpr const char* ExhaustName = "exhaust";
inline constexpr const char* AlwaysTag = "always";

}  // namespace mitos::search
