// SPDX-License-Identifier: GPL-3.0-or-later
// The strategies over destructive rewriting, and the list of all strategies.
#pragma once

#include "search/strategy.h"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace mitos::search {

/// V̂(s) of the paper's equation 3: the cost reduction expected from a program within `timeLeft` steps. A* calls it at most once for
/// each program and time left, MCTS at every step of a rollout; a model caches its results, for all times at once if it can. Each
/// search has its own instance.
class ValueFunction {
public:
    virtual ~ValueFunction() = default;
    [[nodiscard]] virtual double value(const ir::TermBank& bank, ir::TermId root, std::uint32_t timeLeft) = 0;
    /// Bytes held by cached results.
    [[nodiscard]] virtual std::size_t bytes() const { return 0; }
};

/// V̂ = 0: A* then orders states by the reduction achieved so far.
class ZeroValue final : public ValueFunction {
public:
    [[nodiscard]] double value(const ir::TermBank&, ir::TermId, std::uint32_t) override { return 0.0; }
};

using ValueFunctionFactory = std::function<std::unique_ptr<ValueFunction>()>;

/// Uniformly random rollouts from the start, restarted at the horizon (the paper's baseline in section 5).
[[nodiscard]] std::unique_ptr<Strategy> makeRandom();
/// Greedy best-first search: expands the state of least cost next, f(s) = c(s0) - c(s) (section 5).
[[nodiscard]] std::unique_ptr<Strategy> makeGreedy();
/// A* over (expression, time left), Algorithm 2: an expression that is reached again with more time left is expanded again.
[[nodiscard]] std::unique_ptr<Strategy> makeAStar();
/// A* with a value function, which is constructed for every run. Adds the parameter `normalisation`: costs enter the priority as
/// they are, or as logarithms (then also the unit of the value function); without a value function this would not change the order.
[[nodiscard]] std::unique_ptr<Strategy> makeAStar(ValueFunctionFactory makeValue);

/// Cost-based backtracking with a relaxation factor: programs that cost too much compared with the best are pruned.
[[nodiscard]] std::unique_ptr<Strategy> makeBacktracking();
/// Monte Carlo tree search, Algorithm 3; without a value function V = 0 in the rollout policy (equation 7).
[[nodiscard]] std::unique_ptr<Strategy> makeMcts();
[[nodiscard]] std::unique_ptr<Strategy> makeMcts(ValueFunctionFactory makeValue);

/// Beam search: keeps the cheapest `width` states of each level, with a limit per shape; repeated with a wider beam while budget
/// remains.
[[nodiscard]] std::unique_ptr<Strategy> makeBeam();
/// Runs searches in sequence, each with its own rules (schedule.h), such as the paper's two-phase schedule (section 5).
[[nodiscard]] std::unique_ptr<Strategy> makePhases();
/// Several strategies within one budget, in parallel if only the time is limited; reports which one found the best program.
[[nodiscard]] std::unique_ptr<Strategy> makePortfolio();
/// Applies the first rewrite that leads to a new program until none does. The result is the last program, which may be more
/// expensive than the start; so this is only for phases of schedules and not in allStrategies().
[[nodiscard]] std::unique_ptr<Strategy> makeExhaust();
/// The same, but takes only rewrites that do not increase the cost. Searches begin with it, for rules that are always beneficial
/// (those tagged AlwaysTag): their result is never more expensive under any model and does not make a better program unreachable,
/// so they use no budget of evaluations or states. Not in allStrategies() either.
[[nodiscard]] std::unique_ptr<Strategy> makeSimplify();
inline constexpr const char* SimplifyName = "simplify";
inline constexpr const char* AlwaysTag = "always";

/// The default strategy, for arithmetic and for whole programs.
inline constexpr const char* DefaultStrategy = "portfolio";

/// Every strategy, in listing order, with restarts where they can change the result (search/restarts.h).
[[nodiscard]] std::vector<std::shared_ptr<const Strategy>> allStrategies();
/// Finds a strategy by name; the error lists the known names.
[[nodiscard]] Result<std::shared_ptr<const Strategy>> findStrategy(std::string_view name);

}  // namespace mitos::search
