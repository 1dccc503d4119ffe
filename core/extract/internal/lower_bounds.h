// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/extract/internal/deadline.h"
#include "core/extract/problem.h"

#include <vector>

namespace mitos::extract {

/// By node: a lower bound on the cost of every choice that needs this node. It adds the cheapest path from a root down to
/// its class and, below it, the larger of two bounds: the sum of the least costs of all classes that every term of it
/// requires, and the bound of its most expensive child. Infinite for nodes that the roots cannot reach. Costs must not be
/// negative.
[[nodiscard]] std::vector<double> lowerBounds(const Problem& problem, const ParentIndex& parents,
                                              const Deadline& deadline);

}  // namespace mitos::extract
