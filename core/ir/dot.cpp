// SPDX-License-Identifier: GPL-3.0-or-later
// Writes Graphviz's DOT language. Numbers are in the C locale, independent of the user's locale.
#include "core/ir/dot.h"

#include <fmt/format.h>

#include <string_view>

namespace mitos::ir {

namespace {

constexpr double PointsAnInch = 72.0;

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\') out.push_back('\\');
        if (c == '\n') {
            out += "\\n";
        } else {
            out.push_back(c);
        }
    }
    return out;
}

/// The attributes of a node's frame or of an edge, each after a space.
std::string_view lineOf(DotEmphasis emphasis) {
    switch (emphasis) {
        case DotEmphasis::Usual: return "";
        case DotEmphasis::Strong: return " penwidth=2.2";
        case DotEmphasis::Faint: break;
    }
    return " color=\"#b4b4b4\"";
}

std::string nodeLine(std::size_t number, const DotNode& node) {
    std::string text = fmt::format("  n{} [label=\"{}\"", number, escaped(node.label));
    if (!node.tooltip.empty()) text += fmt::format(" tooltip=\"{}\"", escaped(node.tooltip));
    if (node.width > 0.0) {
        text += fmt::format(" fixedsize=true width={:.4f} height={:.4f}", node.width / PointsAnInch,
                            node.height / PointsAnInch);
    }
    text += lineOf(node.emphasis);
    if (node.emphasis == DotEmphasis::Faint) text += " fontcolor=\"#808080\"";
    return text + "];\n";
}

std::string edgeLine(const DotEdge& edge) {
    std::string attributes(lineOf(edge.emphasis));
    if (edge.toCluster) attributes += fmt::format(" lhead=cluster{}", *edge.toCluster);
    if (attributes.empty()) return fmt::format("  n{} -> n{};\n", edge.from, edge.to);
    return fmt::format("  n{} -> n{} [{}];\n", edge.from, edge.to, attributes.substr(1));
}

std::string clusterText(std::size_t number, const DotCluster& cluster) {
    std::string text = fmt::format(
        "  subgraph cluster{} {{ style=\"rounded,filled\"; fillcolor=\"#f6f6f6\"; color=\"{}\"; penwidth={}; "
        "fontname=\"sans-serif\"; fontsize=10; label=\"{}\";",
        number, cluster.emphasis == DotEmphasis::Faint ? "#d0d0d0" : "#808080",
        cluster.emphasis == DotEmphasis::Strong ? "2.2" : "1", escaped(cluster.label));
    if (!cluster.tooltip.empty()) text += fmt::format(" tooltip=\"{}\";", escaped(cluster.tooltip));
    for (const std::size_t node : cluster.nodes) text += fmt::format(" n{};", node);
    return text + " }\n";
}

}  // namespace

std::string toDot(const DotGraph& graph) {
    std::string text = "digraph program {\n  node [shape=box style=rounded fontname=\"sans-serif\" fontsize=11];\n";
    text += graph.arrows ? "  edge [arrowsize=0.6];\n" : "  edge [arrowhead=none];\n";
    if (!graph.clusters.empty()) text += "  compound=true;\n";
    if (graph.ordered) text += "  ordering=out;\n";
    for (const auto& [name, value] : graph.attributes) text += fmt::format("  {}=\"{}\";\n", name, escaped(value));
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) text += nodeLine(i, graph.nodes[i]);
    for (std::size_t i = 0; i < graph.clusters.size(); ++i) text += clusterText(i, graph.clusters[i]);
    for (const DotEdge& edge : graph.edges) text += edgeLine(edge);
    if (!graph.title.empty()) {
        text += fmt::format("  fontname=\"sans-serif\";\n  fontsize=11;\n  label=\"{}\";\n", escaped(graph.title));
    }
    return text + "}\n";
}

}  // namespace mitos::ir
