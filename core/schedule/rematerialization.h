// SPDX-License-Identifier: GPL-3.0-or-later
// Rematerialization: a tensor is dropped and made again where it is needed later, so that it is not in memory in between.
#pragma once

#include "core/schedule/task_graph.h"

#include <cstdint>
#include <vector>

namespace mitos::schedule {

/// A tensor is made again by another run of its producer, for some of its consumers.
struct Recomputation {
    std::uint32_t tensor = 0;
    std::vector<std::uint32_t> consumers =
        {};  ///< those that use the new copy; some of the tensor's consumers, but not all
    /// By input of the producer, in ascending order: the copy that the new run uses. Empty if it uses the same as the producer.
    std::vector<std::uint32_t> inputs = {};

    friend bool operator==(const Recomputation&, const Recomputation&) = default;
};

/// A graph in which some operations occur several times, like any other graph for schedules and their checks. The operations and tensors of the
/// original come first, with their numbers.
struct RematerializedGraph {
    TaskGraph graph = {};
    std::vector<std::uint32_t> original = {};        ///< by operation: the number that it has in the original graph
    std::vector<std::uint32_t> originalTensor = {};  ///< by tensor, likewise
    double addedDuration = 0.0;                      ///< of all runs beyond the first ones

    friend bool operator==(const RematerializedGraph&, const RematerializedGraph&) = default;
};

/// The graph itself, where nothing is made again.
[[nodiscard]] RematerializedGraph withoutRecomputation(TaskGraph graph);

/// Adds an operation that makes the tensor again. It takes the same time, waits for what its producer waits for by control edges, and for the
/// producer itself; nothing waits for it but the consumers named. Fails if there are no such tensor, consumers or copies, if no consumer would be
/// left, and for tensors that cannot be made again: those of operations without inputs, which come from outside, and of operations that
/// make several tensors.
[[nodiscard]] Result<RematerializedGraph> withRecomputation(RematerializedGraph graph,
                                                            const Recomputation& recomputation);

}  // namespace mitos::schedule
