// SPDX-License-Identifier: GPL-3.0-or-later
// See draw.h.
#include "core/egraph/draw.h"

#include "core/base/printable.h"
#include "core/ir/dot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::egraph {

namespace {

constexpr std::size_t LongestLabel = 36;  // characters

/// The part of an e-graph that is drawn.
struct Part {
    std::vector<std::uint32_t> classes;             ///< in the order of their choice
    std::vector<std::vector<std::uint32_t>> nodes;  ///< by class of the snapshot: the nodes drawn, chosen ones first
    std::size_t nodeCount = 0;
};

bool isChosen(const Drawing& drawing, std::uint32_t node) {
    return !drawing.choice.empty() && drawing.choice[drawing.snapshot.nodes[node].eclass] == node;
}

/// Chooses the part, breadth first.
class Choosing {
public:
    explicit Choosing(const Drawing& drawing) : m_drawing(drawing), m_snapshot(drawing.snapshot) {
        m_members.resize(m_snapshot.classes.size());
        for (std::uint32_t node = 0; node < m_snapshot.nodes.size(); ++node) {
            m_members[m_snapshot.nodes[node].eclass].push_back(node);
        }
        m_part.nodes.resize(m_snapshot.classes.size());
    }

    Part run() {
        const std::vector<std::uint32_t> starts = startClasses(m_snapshot);
        std::vector<std::uint32_t> order =
            reached(starts, [&](std::uint32_t node) { return isChosen(m_drawing, node); });
        for (const std::uint32_t eclass : order)
            add(eclass, [&](std::uint32_t node) { return isChosen(m_drawing, node); });
        order = reached(order, [](std::uint32_t) { return true; });
        // Finally the classes that the roots do not reach.
        std::vector<std::uint32_t> all(m_snapshot.classes.size());
        std::iota(all.begin(), all.end(), 0U);
        order.insert(order.end(), all.begin(), all.end());
        order = withoutRepeats(order);
        for (const std::uint32_t eclass : order) add(eclass, [](std::uint32_t) { return true; });
        return std::move(m_part);
    }

private:
    [[nodiscard]] std::vector<std::uint32_t> withoutRepeats(const std::vector<std::uint32_t>& classes) const {
        return reached(classes, [](std::uint32_t) { return false; });
    }

    /// The classes and all that their nodes need, nearest first; only such nodes are followed.
    template <typename Follows>
    [[nodiscard]] std::vector<std::uint32_t> reached(const std::vector<std::uint32_t>& from, Follows follows) const {
        std::vector<bool> isSeen(m_snapshot.classes.size(), false);
        std::vector<std::uint32_t> order;
        const auto meet = [&](std::uint32_t eclass) {
            if (isSeen[eclass]) return;
            isSeen[eclass] = true;
            order.push_back(eclass);
        };
        std::ranges::for_each(from, meet);
        for (std::size_t at = 0; at < order.size(); ++at) {
            for (const std::uint32_t node : m_members[order[at]]) {
                if (!follows(node)) continue;
                const Snapshot::Node& what = m_snapshot.nodes[node];
                for (std::uint32_t i = 0; i < what.childCount; ++i) meet(m_snapshot.childClass(what, i));
            }
        }
        return order;
    }

    template <typename Wants>
    void add(std::uint32_t eclass, Wants wants) {
        std::vector<std::uint32_t>& drawn = m_part.nodes[eclass];
        for (const std::uint32_t node : m_members[eclass]) {
            if (m_part.nodeCount >= m_drawing.mostNodes) return;
            // The chosen node is added first.
            if (!wants(node) || (!drawn.empty() && drawn.front() == node)) continue;
            if (drawn.empty()) m_part.classes.push_back(eclass);
            drawn.push_back(node);
            ++m_part.nodeCount;
        }
    }

    const Drawing& m_drawing;
    const Snapshot& m_snapshot;
    std::vector<std::vector<std::uint32_t>> m_members;
    Part m_part;
};

/// At most LongestLabel characters of a text from a file, safe to display on one line.
std::string shortText(const std::string& text) {
    std::size_t at = 0;
    for (std::size_t length = 0; at < text.size(); ++length) {
        if (length == LongestLabel) return printable(text.substr(0, at)) + "…";
        at += std::max<std::size_t>(1, utf8Length(std::string_view(text).substr(at)));
    }
    return printable(text);
}

std::string classText(const Snapshot::Class& eclass) {
    return eclass.type.empty() ? shortText(eclass.id)
                               : fmt::format("{} : {}", shortText(eclass.id), shortText(eclass.type));
}

/// "12 e-nodes", "1 class"; `more` is the ending of the plural.
std::string countText(std::size_t count, const char* what, const char* more) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : more);
}

std::string partText(std::size_t shown, std::size_t all, const char* what, const char* more) {
    return (shown == all ? "" : fmt::format("{} of ", shown)) + countText(all, what, more);
}

/// "12 of 40 e-nodes in 5 of 9 classes".
std::string sizeText(const Drawing& drawing, const Part& part) {
    return fmt::format("{} in {}", partText(part.nodeCount, drawing.snapshot.nodes.size(), "e-node", "s"),
                       partText(part.classes.size(), drawing.snapshot.classes.size(), "class", "es"));
}

/// A sentence about what is left out; empty if nothing is.
std::string cutText(const Drawing& drawing, const Part& part) {
    const std::size_t nodes = drawing.snapshot.nodes.size() - part.nodeCount;
    if (nodes == 0) return {};
    const std::size_t classes = drawing.snapshot.classes.size() - part.classes.size();
    return fmt::format("left out: {}, {} entirely (the limit is {})", countText(nodes, "e-node", "s"),
                       countText(classes, "class", "es"), countText(drawing.mostNodes, "e-node", "s"));
}

class Describing {
public:
    explicit Describing(const Drawing& drawing)
        : m_drawing(drawing),
          m_snapshot(drawing.snapshot),
          m_part(Choosing(drawing).run()),
          m_numbers(m_snapshot.nodes.size(), 0),
          m_clusters(m_snapshot.classes.size()),
          m_hasCosts(std::ranges::any_of(m_snapshot.nodes, [](const auto& node) { return node.cost != 1.0; })) {}

    ir::DotGraph run() {
        for (const std::uint32_t eclass : m_part.classes) addClass(eclass);
        for (const std::uint32_t eclass : m_part.classes) {
            for (const std::uint32_t node : m_part.nodes[eclass]) addEdges(node);
        }
        m_graph.arrows = true;
        m_graph.title = sizeText(m_drawing, m_part);
        for (const std::string& text : {m_drawing.about, cutText(m_drawing, m_part)}) {
            if (!text.empty()) m_graph.title += "\n" + text;
        }
        return std::move(m_graph);
    }

private:
    [[nodiscard]] ir::DotEmphasis emphasis(std::uint32_t node) const {
        if (m_drawing.choice.empty()) return ir::DotEmphasis::Usual;
        return isChosen(m_drawing, node) ? ir::DotEmphasis::Strong : ir::DotEmphasis::Faint;
    }

    void addClass(std::uint32_t eclass) {
        const Snapshot::Class& about = m_snapshot.classes[eclass];
        const bool isRoot = std::ranges::find(m_snapshot.roots, eclass) != m_snapshot.roots.end();
        m_clusters[eclass] = m_graph.clusters.size();
        ir::DotCluster cluster;
        cluster.label = isRoot ? fmt::format("root {}", classText(about)) : classText(about);
        cluster.tooltip = fmt::format("class {}", printable(about.id));
        if (isRoot) cluster.emphasis = ir::DotEmphasis::Strong;
        if (!isRoot && !m_drawing.choice.empty() && m_drawing.choice[eclass] == Snapshot::None) {
            cluster.emphasis = ir::DotEmphasis::Faint;
        }
        for (const std::uint32_t node : m_part.nodes[eclass]) {
            m_numbers[node] = m_graph.nodes.size();
            cluster.nodes.push_back(m_graph.nodes.size());
            m_graph.nodes.push_back(describe(node));
        }
        m_graph.clusters.push_back(std::move(cluster));
    }

    [[nodiscard]] ir::DotNode describe(std::uint32_t node) const {
        const Snapshot::Node& what = m_snapshot.nodes[node];
        ir::DotNode drawn;
        drawn.label = shortText(what.op);
        for (std::uint32_t i = 0; i < what.childCount; ++i) {
            if (!m_part.nodes[m_snapshot.childClass(what, i)].empty()) continue;
            drawn.label += " …";
            break;
        }
        if (m_hasCosts) drawn.label += fmt::format("\n{}", what.cost);
        drawn.tooltip =
            fmt::format("e-node {}, cost {}{}", printable(what.id), what.cost, what.subsumed ? ", subsumed" : "");
        drawn.emphasis = emphasis(node);
        return drawn;
    }

    void addEdges(std::uint32_t node) {
        const Snapshot::Node& what = m_snapshot.nodes[node];
        for (std::uint32_t i = 0; i < what.childCount; ++i) {
            const std::uint32_t child = m_snapshot.childClass(what, i);
            const std::vector<std::uint32_t>& shown = m_part.nodes[child];
            if (shown.empty()) continue;
            ir::DotEdge edge{m_numbers[node], m_numbers[shown.front()], emphasis(node), {}};
            if (child != what.eclass) edge.toCluster = m_clusters[child];
            m_graph.edges.push_back(edge);
        }
    }

    const Drawing& m_drawing;
    const Snapshot& m_snapshot;
    Part m_part;
    std::vector<std::size_t> m_numbers;   // in the drawing, by node
    std::vector<std::size_t> m_clusters;  // in the drawing, by class
    bool m_hasCosts;                      // not every node costs 1
    ir::DotGraph m_graph;
};

/// "mul(3, 7)": the operator and the classes of the arguments.
std::string nodeText(const Snapshot& snapshot, const Snapshot::Node& node) {
    std::vector<std::string> arguments;
    for (std::uint32_t i = 0; i < node.childCount; ++i) {
        arguments.push_back(printable(snapshot.classes[snapshot.childClass(node, i)].id));
    }
    const std::string op = printable(node.op);
    return arguments.empty() ? op : fmt::format("{}({})", op, fmt::join(arguments, ", "));
}

}  // namespace

std::string dotText(const Drawing& drawing) { return ir::toDot(Describing(drawing).run()); }

std::string listText(const Drawing& drawing) {
    const Snapshot& snapshot = drawing.snapshot;
    const Part part = Choosing(drawing).run();
    std::string text = sizeText(drawing, part) + "\n";
    for (const std::string& line : {drawing.about, cutText(drawing, part)}) {
        if (!line.empty()) text += line + "\n";
    }
    if (!drawing.choice.empty()) text += "* marks the e-nodes of the extraction\n";
    for (const std::uint32_t eclass : part.classes) {
        const bool isRoot = std::ranges::find(snapshot.roots, eclass) != snapshot.roots.end();
        text += fmt::format("\nclass {}{}\n", classText(snapshot.classes[eclass]), isRoot ? ", a root" : "");
        for (const std::uint32_t node : part.nodes[eclass]) {
            const Snapshot::Node& what = snapshot.nodes[node];
            text += fmt::format("{} {:<40} {:>10}{}\n", isChosen(drawing, node) ? '*' : ' ', nodeText(snapshot, what),
                                what.cost, what.subsumed ? "  subsumed" : "");
        }
    }
    return text;
}

}  // namespace mitos::egraph
