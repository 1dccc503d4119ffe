// SPDX-License-Identifier: GPL-3.0-or-later
// Value functions: the cost reduction that a search may expect of a program, and the list of those there are.
#pragma once

#include "search/strategy.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mitos::search {

/// Numbers of steps left, from `least` to `most` inclusive.
struct TimesLeft {
    std::uint32_t least = 0;
    std::uint32_t most = 0;
    [[nodiscard]] std::size_t count() const { return std::size_t{most} - least + 1; }
};

/// V̂(s) of the Knossos paper's equation 3: the cost reduction, in the unit of the cost model, that is expected from a program within
/// a number of steps. Each search has its own instance and uses it on its own thread.
class ValueFunction {
public:
    virtual ~ValueFunction() = default;
    /// The values of several programs, each for all of the given times left: a row for each program, a column for each time.
    [[nodiscard]] virtual std::vector<double> values(std::span<const ir::TermId> roots, TimesLeft times) = 0;
    /// The most programs that a search passes in one call; it may stop between two calls, so that one takes at most a few milliseconds.
    [[nodiscard]] virtual std::size_t batch() const { return 16; }
    /// The fewest programs in a call that use what the function computes at once, at most batch(). Best-first searches expand several
    /// states before they ask for values, until their successors are as many.
    [[nodiscard]] virtual std::size_t leastBatch() const { return 1; }
    /// Bytes held by cached results.
    [[nodiscard]] virtual std::size_t bytes() const { return 0; }
    /// Messages for users that belong to a result found with it (SearchResult::notes).
    [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
    /// Whether every value is 0, so that a search need not store any.
    [[nodiscard]] virtual bool isZero() const { return false; }
};

/// V̂ = 0.
class ZeroValue final : public ValueFunction {
public:
    [[nodiscard]] std::vector<double> values(std::span<const ir::TermId> roots, TimesLeft times) override {
        return std::vector<double>(roots.size() * times.count());
    }
    [[nodiscard]] bool isZero() const override { return true; }
};

/// Makes a value function for a search. `problem.bank` is the bank of the search, to which roots refer; it must outlive the value
/// function. `problem.parameters` holds a value for each parameter of the strategy, those of the value function included. Fails if the function is not available, for
/// instance if a file cannot be read.
using MakeValue = std::function<Result<std::unique_ptr<ValueFunction>>(const SearchProblem& problem)>;

struct ValueInfo {
    std::string name;     ///< as in --set value=potential
    std::string meaning;  ///< completes "the cost reduction expected of a program:"
    MakeValue make;
    /// Strategies that take a value function take these, too (valueParameters()).
    std::vector<ParameterInfo> parameters = {};
};
using ValueInfos = std::vector<ValueInfo>;

/// Every value function, in listing order:
///   zero       0, so that A* orders states by the reduction achieved so far
///   sharing    the saving from binding the program's common subexpressions once
///   algebra    the saving from simplifying its sums and products
///   potential  the larger of these two
///   learned    what a trained network says (learned_value.h)
/// All but the last need no training. Savings that take more steps than are left count 0; a saving in n steps is multiplied by
/// discount^n. Simplifications that the rules of the problem cannot perform count 0; the rules are tried on small terms first. The
/// values are estimates, neither lower nor upper bounds; they are 0 for programs of thousands of nodes and for programs that are
/// graphs.
[[nodiscard]] ValueInfos allValueFunctions();

/// The parameters of a strategy that takes one of these value functions: `value`, by default `usual`, and behind it those of all of them. A
/// parameter that several have is described alike in each, and listed once.
[[nodiscard]] std::vector<ParameterInfo> valueParameters(const ValueInfos& values, std::string usual);

/// Makes the value function that the problem's parameter `value` names. "NAME:FILE" is short for a name and the file of its parameter.
[[nodiscard]] Result<std::unique_ptr<ValueFunction>> makeValue(const ValueInfos& values, const SearchProblem& problem);

}  // namespace mitos::search
