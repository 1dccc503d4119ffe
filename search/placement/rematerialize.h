// SPDX-License-Identifier: GPL-3.0-or-later
// Less peak memory on one device by making tensors again instead of keeping them.
#pragma once

#include "core/schedule/problem.h"
#include "core/schedule/rematerialization.h"

#include <cstdint>
#include <limits>
#include <stop_token>
#include <vector>

namespace mitos::search::placement {

struct RematerializationOptions {
    double mostAdded =
        std::numeric_limits<double>::infinity();  ///< the longest time that all repeated operations may take
    std::size_t states = 2'000;  ///< of the exact order that is looked for after each step; 0: the order is kept
    std::stop_token stop = {};
};

/// A graph with repeated operations, and the order that needs least memory among those that were found.
struct Rematerialization {
    schedule::RematerializedGraph graph;
    std::vector<std::uint32_t> order;  ///< numbers of operations of that graph
    std::uint64_t peakBefore = 0;      ///< bytes, of the given order
    std::uint64_t peak = 0;            ///< bytes; not above the other

    friend bool operator==(const Rematerialization&, const Rematerialization&) = default;
};

/// Starts from an order of all operations, which must be topological. At the highest point of memory, each tensor that waits there for a later use
/// is a candidate: it is dropped after its last use before and made again right before the next one; where inputs of that run are no longer
/// there, they are kept, or made again, too. The candidate with the lowest peak is taken (of equal ones that with fewer highest points,
/// then the one that takes least time), then the order is improved, until no candidate helps. Greedy, so there may be a better graph. Outputs of the graph
/// and tensors that withRecomputation() refuses are kept.
[[nodiscard]] Rematerialization rematerialize(const schedule::Problem& problem, std::vector<std::uint32_t> order,
                                              const RematerializationOptions& options = {});

}  // namespace mitos::search::placement
