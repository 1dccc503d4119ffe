// SPDX-License-Identifier: GPL-3.0-or-later
// Where an e-graph has changed since a search, and how far away the changes are.
#pragma once

#include "core/egraph/egraph.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace mitos::egraph {

/// Distances of classes from changes, computed once for all rules that were searched at the same time.
class Changes {
public:
    static constexpr std::uint32_t Never = std::numeric_limits<std::uint32_t>::max();

    /// By class: how many levels below it the nearest class is in which a node has changed in the epoch `since` or
    /// later (0: the class itself; Never: there is none below it). A left-hand side that inspects `height` levels has
    /// the same matches as before where the distance is larger. The graph must be clean; the result is valid until it
    /// changes.
    const std::vector<std::uint32_t>& distances(const EGraph& graph, std::uint32_t since);

private:
    struct Known {
        std::uint32_t since = 0;
        std::vector<std::uint32_t> distances;
    };
    std::uint32_t m_epoch = 0;
    std::size_t m_ids = 0;
    std::deque<Known> m_known;  // for the epoch m_epoch
};

}  // namespace mitos::egraph
