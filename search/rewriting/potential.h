// SPDX-License-Identifier: GPL-3.0-or-later
// A value function without training: it estimates from the program alone how much its cost can be reduced.
#pragma once

#include "search/rewriting/strategies.h"

namespace mitos::search {

class StateSpace;

/// V̂ of a program: the saving from binding its common subexpressions once or from simplifying its sums and products, whichever is
/// larger. Savings that take more steps than are left count 0; a saving in n steps is multiplied by `discount`^n. Simplifications
/// that the rules of the problem cannot perform count 0; the rules are tried on small terms first. V̂ is an estimate, neither a
/// lower nor an upper bound; it is 0 for programs of thousands of nodes.
[[nodiscard]] std::unique_ptr<ValueFunction> makePotential(const SearchProblem& problem, const StateSpace& space,
                                                           double discount);

}  // namespace mitos::search
