// SPDX-License-Identifier: GPL-3.0-or-later
// The places of all nodes of a program, in memory linear in their number. A path to each node would take memory proportional to the
// depth of each, and programs may be thousands of levels deep.
#pragma once

#include "core/ir/path.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::ir {

/// Places numbered in pre-order of their paths; the root is 0. In a tree every occurrence of a term has a place, in a graph every distinct
/// node has one, that of its first path (forEachNode, ir/shared.h).
class NodePlaces {
public:
    using Index = std::uint32_t;

    /// Adds the next place in pre-order. The first is the root, whose parent and row are 0.
    void add(Index parent, std::uint32_t row);
    /// The same; the path to the parent must have been added.
    void add(const Path& path);

    [[nodiscard]] std::size_t size() const { return m_places.size(); }
    /// The root is its own parent.
    [[nodiscard]] Index parent(Index place) const { return m_places[place].parent; }
    /// Among the children of the parent.
    [[nodiscard]] std::uint32_t row(Index place) const { return m_places[place].row; }
    /// The first place that is neither this one nor below it, and that comes after it.
    [[nodiscard]] Index end(Index place) const;
    /// Whether `inner` is `outer` or a place below it.
    [[nodiscard]] bool isWithin(Index inner, Index outer) const { return outer <= inner && inner < end(outer); }
    [[nodiscard]] Path path(Index place) const;
    /// The place of a path; nothing if there is none. In a graph only first paths are found. Takes time linear in the numbers of children
    /// along the path.
    [[nodiscard]] std::optional<Index> find(const Path& path) const;

private:
    struct Place {
        Index parent = 0;
        std::uint32_t row = 0;
        Index end = 0;  ///< 0: not known yet, since places below may be added
    };

    void close(std::size_t levels);

    std::vector<Place> m_places;
    std::vector<Index> m_open;  ///< the last place and those above it
};

}  // namespace mitos::ir
