// SPDX-License-Identifier: GPL-3.0-or-later
// A value function without training: it estimates from the program alone how much its cost can be reduced.
#pragma once

#include "search/rewriting/value.h"

namespace mitos::search {

/// The savings that an estimate covers; of several, the largest counts.
struct Savings {
    bool sharing = false;
    bool algebra = false;
};

/// The estimates of allValueFunctions() for programs that are trees.
[[nodiscard]] std::unique_ptr<ValueFunction> makePotential(const SearchProblem& problem, Savings savings);

}  // namespace mitos::search
