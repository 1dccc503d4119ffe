// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses and describes the part of a program that is drawn.
#include "views/program/internal/graph_extract.h"

#include "views/common/format.h"

#include <QCoreApplication>
#include <algorithm>
#include <deque>
#include <optional>

namespace mitos::views {

namespace {

constexpr qsizetype LongestTitle = 32;
constexpr qsizetype LongestType = 18;  // wide boxes make wide graphs; the tool tip shows the full type

class Extraction {
public:
    Extraction(const ProgramText& text, const GraphExtract& extract)
        : m_text(text),
          m_extract(extract),
          m_shown(text.nodes().size(), false) {}

    std::vector<NodeIndex> run() {
        const NodeIndex focus = std::min<NodeIndex>(m_extract.focus, static_cast<NodeIndex>(m_shown.size() - 1));
        std::vector<NodeIndex> way{focus};
        while (way.back() != 0 && way.size() < GraphExtract::UsualLimit / 2) {
            way.push_back(m_text.nodes()[way.back()].parent);
        }
        for (const NodeIndex node : way) show(node);
        for (const NodeIndex node : way) showBelow(node, GraphExtract::UsualLimit);
        for (const NodeIndex node : m_extract.expanded) {
            if (node >= m_shown.size() || !m_shown[node]) continue;
            showBelow(node, std::min(m_count + GraphExtract::ExpansionLimit, GraphExtract::LargestLimit));
        }
        std::vector<NodeIndex> nodes;
        for (NodeIndex node = 0; node < m_shown.size(); ++node) {
            if (m_shown[node]) nodes.push_back(node);
        }
        return nodes;
    }

private:
    void show(NodeIndex node) {
        if (m_shown[node]) return;
        m_shown[node] = true;
        ++m_count;
    }

    /// Breadth-first, until `limit` nodes are shown in total.
    void showBelow(NodeIndex top, std::size_t limit) {
        std::deque<NodeIndex> next{top};
        while (!next.empty()) {
            const NodeIndex node = next.front();
            next.pop_front();
            if (m_extract.collapsed.count(node) > 0) continue;
            for (std::uint32_t row = 0; row < m_text.childCount(node); ++row) {
                const NodeIndex child = m_text.child(node, row);
                if (!m_shown[child] && m_count >= limit) return;
                show(child);
                next.push_back(child);
            }
        }
    }

    const ProgramText& m_text;
    const GraphExtract& m_extract;
    std::vector<bool> m_shown;
    std::size_t m_count = 0;
};

/// The node that binds the variable at `node`; nothing if it is bound outside.
std::optional<NodeIndex> binderOf(const ir::TermBank& bank, const ProgramText& text, NodeIndex node) {
    std::uint32_t index = bank.payload(text.nodes()[node].term).asIndex();
    while (node != 0) {
        const ProgramText::Node& here = text.nodes()[node];
        if (bank.boundIn(text.nodes()[here.parent].term, here.row) > 0 && index-- == 0) return here.parent;
        node = here.parent;
    }
    return std::nullopt;
}

}  // namespace

QString shortened(const QString& text, qsizetype longest) {
    return text.size() > longest ? text.left(longest - 1) + QStringLiteral("…") : text;
}

std::vector<NodeIndex> extractNodes(const ProgramText& text, const GraphExtract& extract) {
    if (text.nodes().empty()) return {};
    return Extraction(text, extract).run();
}

GraphDescription describe(const ir::TermBank& bank, const ProgramContent& content,
                          const std::vector<NodeIndex>& nodes) {
    const ProgramText& text = content.text;
    GraphDescription graph;
    graph.ordered = true;
    const auto place = [&nodes](NodeIndex node) -> std::optional<GraphIndex> {
        const auto found = std::lower_bound(nodes.begin(), nodes.end(), node);
        if (found == nodes.end() || *found != node) return std::nullopt;
        return static_cast<GraphIndex>(found - nodes.begin());
    };
    for (const NodeIndex node : nodes) {
        const ir::TermId term = text.nodes()[node].term;
        GraphNode made;
        made.title = shortened(text.label(node), LongestTitle);
        const QString type = fromUtf8(bank.types().toString(bank.type(term)));
        made.detail = shortened(type, LongestType);
        made.share = content.share(node);
        made.expandable = text.childCount(node) > 0;
        for (std::uint32_t row = 0; row < text.childCount(node); ++row) {
            const NodeIndex child = text.child(node, row);
            if (!place(child)) made.hidden += bank.treeSize(text.nodes()[child].term);
        }
        made.toolTip = QCoreApplication::translate("mitos::views::graph", "%1 : %2\nat %3")
                           .arg(made.title, type, fromUtf8(ir::toString(text.path(node))));
        if (node < content.costs.size()) {
            const cost::CostPart& part = content.costs[node];
            made.toolTip += QCoreApplication::translate("mitos::views::graph", "\ncost %1, %2 times; %3")
                                .arg(costText(part.total), costText(part.times), fromUtf8(part.reason));
        }
        const auto self = static_cast<GraphIndex>(graph.nodes.size());
        if (node != 0) {
            if (const auto parent = place(text.nodes()[node].parent)) graph.edges.push_back({*parent, self});
        }
        graph.nodes.push_back(std::move(made));
    }
    return graph;
}

std::vector<GraphEdge> bindingEdges(const ir::TermBank& bank, const ProgramText& text,
                                    const std::vector<NodeIndex>& nodes, NodeIndex node) {
    const auto isBound = [&](NodeIndex at) { return bank.is(text.nodes()[at].term, ir::CoreOp::Bound); };
    const std::optional<NodeIndex> binder = isBound(node) ? binderOf(bank, text, node) : node;
    std::vector<GraphEdge> edges;
    if (!binder) return edges;
    const auto from = std::lower_bound(nodes.begin(), nodes.end(), *binder);
    if (from == nodes.end() || *from != *binder) return edges;
    for (auto use = from; use != nodes.end(); ++use) {
        if (!isBound(*use) || binderOf(bank, text, *use) != binder) continue;
        edges.push_back({static_cast<GraphIndex>(from - nodes.begin()), static_cast<GraphIndex>(use - nodes.begin()),
                         GraphEdge::Kind::Reference});
    }
    return edges;
}

}  // namespace mitos::views
