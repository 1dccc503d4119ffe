// SPDX-License-Identifier: GPL-3.0-or-later
// Where the values of a tensor program lie while it runs: what a peak of memory, and a schedule's, consist of.
#pragma once

#include "core/cost/node_cost.h"
#include "core/cost/sizes.h"
#include "core/ir/shared.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::cost {

/// The memory of the value of one node.
struct ValuePlace {
    enum class Kind : std::uint8_t {
        Computed,  ///< memory of its own, from when it is computed until its last use
        Input,     ///< memory of its own, from the start until its last use
        Resident,  ///< memory of its own, all the time: a weight, or what is computed from weights before the program runs
        Elsewhere,  ///< in the memory of `holder`: a view of its first input, or an element of a tuple
        Absent,     ///< none: a tuple of values that lie elsewhere, or what is needed only before the program runs
    };
    Kind kind = Kind::Absent;
    double bytes = 0.0;      ///< of its own memory
    std::size_t holder = 0;  ///< number of the node in whose memory the value lies; its own number unless Elsewhere
};

/// Keeps what it knows about terms. The bank must outlive it; for the thread of the bank.
class ValueMemory {
public:
    ValueMemory(const ir::TermBank& bank, AssumedSizes sizes);

    /// The place of the value of each node, in their order.
    [[nodiscard]] std::vector<ValuePlace> placesOf(const ir::SharedNodes& nodes);
    [[nodiscard]] std::size_t bytes() const { return m_known.capacity() * sizeof(std::optional<Known>); }

private:
    struct Known {
        double bytes = 0.0;
        bool isInItsInput = false;
        bool isOffline = false;
    };
    const Known& known(ir::TermId term);

    const ir::TermBank& m_bank;
    AssumedSizes m_sizes;
    std::vector<std::optional<Known>> m_known;  // by term
    InputTypes m_inputs;
};

}  // namespace mitos::cost
