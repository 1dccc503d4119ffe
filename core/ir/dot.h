// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs in Graphviz's language: the only place that writes it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace mitos::ir {

struct DotNode {
    std::string label;
    std::string tooltip;
    /// Points (1/72 inch). Zero: as large as the label; else exactly that, and fonts play no part.
    double width = 0.0;
    double height = 0.0;
};

struct DotEdge {
    std::size_t from = 0;
    std::size_t to = 0;
};

struct DotGraph {
    std::vector<DotNode> nodes;  ///< named n0, n1, …
    std::vector<DotEdge> edges;
    std::string title;    ///< below the picture; may be empty
    bool ordered = true;  ///< the edges of a node leave it from left to right in their order
    /// Of the graph as a whole ("rankdir", "LR"); written as they are.
    std::vector<std::pair<std::string, std::string>> attributes;
};

[[nodiscard]] std::string toDot(const DotGraph& graph);

}  // namespace mitos::ir
