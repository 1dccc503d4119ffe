// SPDX-License-Identifier: GPL-3.0-or-later
// The strategies over destructive rewriting.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "search/strategy.h"

namespace mitos::search {

/// V̂(s) of the paper's equation 3: the cost reduction expected from a program within `timeLeft` steps.
class ValueFunction {
public:
    virtual ~ValueFunction() = default;
    [[nodiscard]] virtual double value(const ir::TermBank& bank, ir::TermId root, std::uint32_t timeLeft) = 0;
};

/// V̂ = 0: A* then orders states by the reduction achieved so far.
class ZeroValue final : public ValueFunction {
public:
    [[nodiscard]] double value(const ir::TermBank&, ir::TermId, std::uint32_t) override { return 0.0; }
};

/// Uniformly random rollouts from the start, restarted at the horizon (the paper's baseline in section 5).
[[nodiscard]] std::unique_ptr<Strategy> makeRandom();
/// Greedy best-first: the state of least cost is expanded next, f(s) = c(s0) - c(s) (section 5).
[[nodiscard]] std::unique_ptr<Strategy> makeGreedy();
/// A* over (expression, time left), Algorithm 2: an expression reached again with more time left is taken up again.
[[nodiscard]] std::unique_ptr<Strategy> makeAStar();

/// Every strategy, in listing order.
[[nodiscard]] std::vector<std::shared_ptr<const Strategy>> allStrategies();
/// By name; the error lists the names.
[[nodiscard]] Result<std::shared_ptr<const Strategy>> findStrategy(std::string_view name);

}  // namespace mitos::search
