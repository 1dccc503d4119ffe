// SPDX-License-Identifier: GPL-3.0-or-later
// As bottom_up.h, but what a node's children share is paid for once.
#pragma once

#include "core/extract/deadline.h"
#include "core/extract/parent_index.h"
#include "core/extract/problem.h"

#include <span>

namespace mitos::extract {

/// A choice for every class that has a finite term, acyclic. Settles the class whose cheapest term so far, with what is
/// settled below, is the cheapest of all open ones; a settled class knows the set of classes its term consists of
/// (ClassSets), so a node's price is that of the union. Not the best: each class looks only at itself, not at what its
/// surroundings need anyway. After the deadline the rest is chosen by a lower bound instead of the price.
[[nodiscard]] Choice sharedBottomUp(const Problem& problem, const ParentIndex& parents, std::span<const double> weight,
                                    const Deadline& deadline);

}  // namespace mitos::extract
