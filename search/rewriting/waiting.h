// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions waiting to be expanded, the cheapest first.
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

/// Of equal cost, the one found first.
using WaitingQueue = std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>;

/// Memory of a queue in a vector, which grows to twice its size. A queue that shrank holds more.
template <typename Queue>
[[nodiscard]] std::size_t bytesOf(const Queue& queue) {
    return std::bit_ceil(queue.size()) * sizeof(typename Queue::value_type);
}

}  // namespace mitos::search
