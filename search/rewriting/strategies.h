// SPDX-License-Identifier: GPL-3.0-or-later
// The strategies over destructive rewriting.
#pragma once

#include "search/strategy.h"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace mitos::search {

/// V̂(s) of the paper's equation 3: the cost reduction expected from a program within `timeLeft` steps. A* asks at most
/// once for a program and a time left, MCTS at every step of a rollout; a model remembers what it has worked out, for all
/// times at once if it can. Belongs to one search.
class ValueFunction {
public:
    virtual ~ValueFunction() = default;
    [[nodiscard]] virtual double value(const ir::TermBank& bank, ir::TermId root, std::uint32_t timeLeft) = 0;
    /// Held by what it remembers.
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
/// Greedy best-first: the state of least cost is expanded next, f(s) = c(s0) - c(s) (section 5).
[[nodiscard]] std::unique_ptr<Strategy> makeGreedy();
/// A* over (expression, time left), Algorithm 2: an expression reached again with more time left is taken up again.
[[nodiscard]] std::unique_ptr<Strategy> makeAStar();
/// With a value function, made anew for every run. Adds the parameter `normalisation`: costs enter the priority as they
/// are, or as logarithms (the value function's unit then), which without a value function would not change the order.
[[nodiscard]] std::unique_ptr<Strategy> makeAStar(ValueFunctionFactory makeValue);

/// Cost-based backtracking with a relaxation factor: programs that cost too much beside the best are given up.
[[nodiscard]] std::unique_ptr<Strategy> makeBacktracking();
/// Monte Carlo tree search, Algorithm 3; without a value function V = 0 in the rollout policy (equation 7).
[[nodiscard]] std::unique_ptr<Strategy> makeMcts();
[[nodiscard]] std::unique_ptr<Strategy> makeMcts(ValueFunctionFactory makeValue);

/// Beam search: the cheapest `width` of each level, not too many of one shape; begun again wider while there is budget.
[[nodiscard]] std::unique_ptr<Strategy> makeBeam();
/// One search after the other, each with rules of its own (schedule.h); the paper's two-phase schedule (section 5).
[[nodiscard]] std::unique_ptr<Strategy> makePhases();
/// Several strategies within one budget, side by side where only the time is limited; says which one found the best.
[[nodiscard]] std::unique_ptr<Strategy> makePortfolio();
/// The first rewrite that leads to something new, until none does. Its result is where that ends, which may be dearer than
/// the start: a phase of a schedule, and not among allStrategies().
[[nodiscard]] std::unique_ptr<Strategy> makeExhaust();
/// The same, only where the program gets no dearer: what a search begins with, for rules that are always good (those
/// tagged AlwaysTag). Their result is never dearer under any model and takes no better program out of reach, so no budget
/// of evaluations or states is spent on them. Not among allStrategies() either.
[[nodiscard]] std::unique_ptr<Strategy> makeSimplify();
inline constexpr const char* SimplifyName = "simplify";
inline constexpr const char* AlwaysTag = "always";

/// The strategy to begin with, for arithmetic and whole programs alike.
inline constexpr const char* DefaultStrategy = "portfolio";

/// Every strategy, in listing order, with restarts where they make a difference (search/restarts.h).
[[nodiscard]] std::vector<std::shared_ptr<const Strategy>> allStrategies();
/// By name; the error lists the names.
[[nodiscard]] Result<std::shared_ptr<const Strategy>> findStrategy(std::string_view name);

}  // namespace mitos::search
