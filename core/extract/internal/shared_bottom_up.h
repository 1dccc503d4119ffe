// SPDX-License-Identifier: GPL-3.0-or-later
// Like bottom_up.h, but parts shared by a node's children are paid for once.
#pragma once

#include "core/extract/internal/deadline.h"
#include "core/extract/problem.h"

#include <span>

namespace mitos::extract {

/// A choice for every class that has a finite term, acyclic. Repeatedly settles the open class with the cheapest term
/// over the settled classes; a settled class keeps the set of classes in its term (ClassSets), so the price of a node
/// is that of the union. Not optimal: each class considers only itself, not which classes its context needs anyway.
/// After the deadline the rest is chosen by a lower bound instead of the price.
[[nodiscard]] Choice sharedBottomUp(const Problem& problem, const ParentIndex& parents, std::span<const double> weight,
                                    const Deadline& deadline);

}  // namespace mitos::extract
