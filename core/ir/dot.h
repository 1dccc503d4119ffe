// SPDX-License-Identifier: GPL-3.0-or-later
// Writes graphs in Graphviz's DOT language. No other file writes DOT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::ir {

/// How much a part of a drawing stands out.
enum class DotEmphasis : std::uint8_t { Usual, Strong, Faint };

struct DotNode {
    std::string label;
    std::string tooltip;
    /// Size in points (1/72 inch). Zero: as large as the label. Otherwise the size is fixed and does not depend on fonts.
    double width = 0.0;
    double height = 0.0;
    DotEmphasis emphasis = DotEmphasis::Usual;
};

struct DotEdge {
    std::size_t from = 0;
    std::size_t to = 0;
    DotEmphasis emphasis = DotEmphasis::Usual;
    /// The edge ends at the border of this cluster, which contains `to` and not `from`.
    std::optional<std::size_t> toCluster = {};
};

/// Nodes in a common frame. Clusters have no nodes in common.
struct DotCluster {
    std::string label;
    std::string tooltip;
    std::vector<std::size_t> nodes;
    DotEmphasis emphasis = DotEmphasis::Usual;
};

struct DotGraph {
    std::vector<DotNode> nodes;  ///< named n0, n1, …
    std::vector<DotEdge> edges;
    std::vector<DotCluster> clusters;
    std::string title;    ///< below the picture; may be empty
    bool ordered = true;  ///< whether the edges of a node leave it from left to right in their order
    bool arrows = false;  ///< whether edges have heads
    /// Attributes of the whole graph ("rankdir", "LR"), written verbatim.
    std::vector<std::pair<std::string, std::string>> attributes;
};

[[nodiscard]] std::string toDot(const DotGraph& graph);

}  // namespace mitos::ir
