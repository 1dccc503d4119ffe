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

}  // namespace

std::string toDot(const DotGraph& graph) {
    std::string text =
        "digraph program {\n  node [shape=box style=rounded fontname=\"sans-serif\" fontsize=11];\n"
        "  edge [arrowhead=none];\n";
    if (graph.ordered) text += "  ordering=out;\n";
    for (const auto& [name, value] : graph.attributes) text += fmt::format("  {}=\"{}\";\n", name, escaped(value));
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const DotNode& node = graph.nodes[i];
        text += fmt::format("  n{} [label=\"{}\"", i, escaped(node.label));
        if (!node.tooltip.empty()) text += fmt::format(" tooltip=\"{}\"", escaped(node.tooltip));
        if (node.width > 0.0) {
            text += fmt::format(" fixedsize=true width={:.4f} height={:.4f}", node.width / PointsAnInch,
                                node.height / PointsAnInch);
        }
        text += "];\n";
    }
    for (const DotEdge& edge : graph.edges) text += fmt::format("  n{} -> n{};\n", edge.from, edge.to);
    if (!graph.title.empty()) text += fmt::format("  label=\"{}\";\n", escaped(graph.title));
    return text + "}\n";
}

}  // namespace mitos::ir
