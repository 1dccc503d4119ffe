// SPDX-License-Identifier: GPL-3.0-or-later
// Orders that keep little in memory.
#pragma once

#include "search/placement/placement.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::search::placement {

/// At each step the ready operation and the device for which the highest peak so far grows least, and of equal ones those after which the
/// least memory is in use. Copies on other devices count from the step that needs them.
[[nodiscard]] schedule::Schedule greedyMemory(const schedule::Problem& problem);

/// The orders of the public XLA compiler for operations whose devices are given, of which its default scheduler takes the best.
struct XlaOrders {
    std::vector<std::uint32_t> list;  ///< the ready operation that releases most, net of what it allocates
    std::vector<std::uint32_t>
        depthFirst;  ///< operands before users; those with more extra users first, of equal ones the larger
    std::vector<std::uint32_t> postOrder;  ///< operands before users, in the order of the graph
};
[[nodiscard]] XlaOrders xlaOrders(const schedule::Problem& problem);

/// The best of these under the objective.
[[nodiscard]] Placement bestOfXla(const schedule::Problem& problem, std::span<const std::uint32_t> device,
                                  Objective objective);

}  // namespace mitos::search::placement
