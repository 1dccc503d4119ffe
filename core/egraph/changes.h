// SPDX-License-Identifier: GPL-3.0-or-later
// Where an e-graph has changed since a search, and how far away that is.
#pragma once

#include "core/egraph/egraph.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace mitos::egraph {

/// Distances of classes from what is new, worked out once for all rules that were searched at the same time.
class Changes {
public:
    static constexpr std::uint32_t Never = std::numeric_limits<std::uint32_t>::max();

    /// By class: how many levels further down the nearest class is in which a node has changed in the epoch `since` or later (0:
    /// the class itself; Never: none is below it). A left side that looks `height` levels down matches as it did where the
    /// distance is larger. The graph must be clean; valid until it changes.
    const std::vector<std::uint32_t>& distances(const EGraph& graph, std::uint32_t since);

private:
    struct Known {
        std::uint32_t since = 0;
        std::vector<std::uint32_t> distances;
    };
    std::uint32_t m_epoch = 0;
    std::size_t m_ids = 0;
    std::deque<Known> m_known;  // of the epoch
};

}  // namespace mitos::egraph
