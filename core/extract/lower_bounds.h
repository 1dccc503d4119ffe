// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/extract/deadline.h"
#include "core/extract/parent_index.h"
#include "core/extract/problem.h"

#include <vector>

namespace mitos::extract {

/// By node: no choice that needs this node costs less. Counted are the cheapest way from a root down to its class, and
/// below it the larger of: what every term of it requires, at the least cost of each class; its dearest child. Infinite
/// for nodes that the roots cannot reach. Costs must not be negative.
[[nodiscard]] std::vector<double> lowerBounds(const Problem& problem, const ParentIndex& parents,
                                              const Deadline& deadline);

}  // namespace mitos::extract
