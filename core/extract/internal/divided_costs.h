// SPDX-License-Identifier: GPL-3.0-or-later
// Lower bounds for graphs with shared classes: the classes that use a shared class divide its cost among themselves.
#pragma once

#include "core/extract/internal/deadline.h"
#include "core/extract/problem.h"

#include <cstdint>
#include <vector>

namespace mitos::extract {

/// By node: a lower bound on the cost of every choice that needs it; infinite for nodes that the roots cannot reach. Costs must not be
/// negative.
///
/// Each class has a share of the cost of every class that its nodes have as a child; the shares of a class add up to 1 at most, and those
/// of a root are 0, as the root itself pays. The cost of a class is that of its cheapest node together with its shares of the node's
/// children. A choice pays at least the costs of the roots, and in addition, for each of its nodes, what this node costs more than the
/// cheapest one of its class (the dual of the linear program, with these surpluses as reduced costs). Shares are equal at first; then those
/// of classes that have a cheaper node without the shared class go to the others, `rounds` times, or until the deadline.
[[nodiscard]] std::vector<double> dividedBounds(const Problem& problem, const ParentIndex& parents,
                                                std::uint32_t rounds, const Deadline& deadline);

}  // namespace mitos::extract
