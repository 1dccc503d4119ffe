// SPDX-License-Identifier: GPL-3.0-or-later
// A value function that nobody has to train: it looks at a program and estimates what it could save.
#pragma once

#include "search/rewriting/strategies.h"

namespace mitos::search {

class StateSpace;

/// V̂ of a program: what is left to save by binding its common subexpressions once, or by simplifying its sums and
/// products, whichever promises more; nothing that takes more steps than are left, and less for what is far off: a saving
/// in n steps counts `discount`^n of itself. What the rules of the problem cannot do promises nothing: they are tried on
/// small terms first. An estimate, neither a lower nor an upper bound; programs of thousands of nodes get 0.
[[nodiscard]] std::unique_ptr<ValueFunction> makePotential(const SearchProblem& problem, const StateSpace& space,
                                                           double discount);

}  // namespace mitos::search
