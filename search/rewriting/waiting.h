// SPDX-License-Identifier: GPL-3.0-or-later
// A queue of expressions to expand, cheapest first.
#pragma once

#include "search/rewriting/state_space.h"

#include <bit>
#include <cstddef>
#include <functional>
#include <queue>
#include <vector>

namespace mitos::search {

struct Waiting {
    double cost = 0.0;
    ExpressionId expression;
    bool operator>(const Waiting& other) const {
        return cost != other.cost ? cost > other.cost : expression > other.expression;
    }
};

/// Yields the cheapest expression; of equal cost, the one found first.
using WaitingQueue = std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>;

/// Estimated bytes of a queue in a vector that doubles its capacity; too low for a queue that has shrunk.
template <typename Queue>
[[nodiscard]] std::size_t bytesOf(const Queue& queue) {
    return std::bit_ceil(queue.size()) * sizeof(typename Queue::value_type);
}

}  // namespace mitos::search
