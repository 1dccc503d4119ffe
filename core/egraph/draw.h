// SPDX-License-Identifier: GPL-3.0-or-later
// E-graphs as drawings and as lists of their classes.
#pragma once

#include "core/egraph/snapshot.h"

#include <cstddef>
#include <limits>
#include <string>

namespace mitos::egraph {

/// The largest number of e-nodes of a drawing, if nothing else is requested; larger ones are hard to read.
inline constexpr std::size_t UsuallyDrawn = 300;
inline constexpr std::size_t NoLimit = std::numeric_limits<std::size_t>::max();

/// The part of an e-graph that is drawn.
struct Drawing {
    const Snapshot& snapshot;
    /// The extraction to emphasize; empty: none.
    const NodeChoice& choice;
    /// Text about the extraction for the title: "extraction by tree, cost 5".
    std::string about;
    /// The most e-nodes. The nodes of the extraction come first, from the roots down, then the other nodes of these classes, and of the
    /// classes that these need. If there are no roots, startClasses() takes their place.
    std::size_t mostNodes = UsuallyDrawn;
};

/// In Graphviz's DOT language: classes are clusters of their e-nodes, and edges lead from e-nodes to the classes of their arguments,
/// in their order. The extraction is drawn strong, everything else faint. The title states how much is left out; an e-node with an
/// argument whose class is left out ends with "…".
[[nodiscard]] std::string dotText(const Drawing& drawing);

/// One class after another with its e-nodes, their costs and the classes of their arguments. An asterisk marks the extraction.
/// The first lines state the sizes, and how much is left out.
[[nodiscard]] std::string listText(const Drawing& drawing);

}  // namespace mitos::egraph
