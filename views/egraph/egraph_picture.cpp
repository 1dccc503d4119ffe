// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses classes, then describes them.
#include "views/egraph/egraph_picture.h"

#include "views/common/format.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr qsizetype LongestText = 36;

QString tr(const char* text) { return QCoreApplication::translate("mitos::views::egraph", text); }

QString shortText(const QString& text) { return shortened(text, LongestText); }

std::vector<ClassIndex> startsOf(const EGraphIndex& index, const EGraphScope& scope) {
    return scope.centre ? std::vector<ClassIndex>{*scope.centre} : index.starts();
}

class Choosing {
public:
    Choosing(const EGraphIndex& index, const EGraphScope& scope, const EGraphMarks& marks)
        : m_index(index),
          m_scope(scope),
          m_marks(marks),
          m_shown(index.classCount(), false) {}

    std::vector<ClassIndex> run() {
        const std::vector<ClassIndex> starts = startsOf(m_index, m_scope);
        for (const ClassIndex start : starts) show(start, EGraphScope::UsualLimit);
        const auto showCone = [&](const NodeChoice* choice) {
            for (const ClassIndex one : extractionCone(m_index, starts, choice)) show(one, EGraphScope::UsualLimit);
        };
        bool chosen = false;
        for (const auto& choice : m_marks.extractions) {
            if (!choice) continue;
            showCone(choice.get());
            chosen = true;
        }
        if (!chosen) showCone(nullptr);
        if (!m_scope.extractionOnly) showHops();
        for (const ClassIndex one : m_scope.expanded) {
            if (one >= m_shown.size() || !m_shown[one]) continue;
            const std::size_t limit = std::min(m_order.size() + EGraphScope::ExpansionLimit, EGraphScope::LargestLimit);
            forEachArgument(one, [&](ClassIndex child) { show(child, limit); });
        }
        return std::move(m_order);
    }

    [[nodiscard]] bool wasCut() const { return m_cut; }

private:
    bool show(ClassIndex one, std::size_t limit) {
        if (m_shown[one] || m_scope.hidden.count(one) > 0) return false;
        if (m_order.size() >= limit) {
            m_cut = true;
            return false;
        }
        m_shown[one] = true;
        m_order.push_back(one);
        return true;
    }

    template <typename See>
    void forEachArgument(ClassIndex one, See see) const {
        const egraph::Snapshot& snapshot = m_index.snapshot();
        for (const ENodeIndex member : m_index.members(one)) {
            const egraph::Snapshot::Node& node = snapshot.nodes[member];
            if (m_scope.hideSubsumed && node.subsumed) continue;
            for (std::uint32_t i = 0; i < node.childCount; ++i) see(snapshot.childClass(node, i));
        }
    }

    /// Adds rings of classes around those shown; around a centre, also the classes that use it.
    void showHops() {
        std::size_t begin = 0;
        std::vector<ClassIndex> users;
        if (m_scope.centre) users.push_back(*m_scope.centre);
        for (int hop = 0; hop < m_scope.hops; ++hop) {
            const std::size_t end = m_order.size();
            std::vector<ClassIndex> next;
            for (const ClassIndex one : users) {
                for (const ENodeIndex parent : m_index.parents(one)) {
                    const egraph::Snapshot::Node& node = m_index.snapshot().nodes[parent];
                    if (m_scope.hideSubsumed && node.subsumed) continue;
                    if (show(node.eclass, EGraphScope::UsualLimit)) next.push_back(node.eclass);
                }
            }
            users = std::move(next);
            for (std::size_t at = begin; at < end; ++at) {
                const ClassIndex one = m_order[at];
                forEachArgument(one, [&](ClassIndex child) { show(child, EGraphScope::UsualLimit); });
            }
            begin = end;
        }
    }

    const EGraphIndex& m_index;
    const EGraphScope& m_scope;
    const EGraphMarks& m_marks;
    std::vector<bool> m_shown;
    std::vector<ClassIndex> m_order;
    bool m_cut = false;
};

class Describing {
public:
    Describing(const EGraphIndex& index, const EGraphScope& scope, const EGraphMarks& marks)
        : m_index(index),
          m_snapshot(index.snapshot()),
          m_scope(scope),
          m_marks(marks) {}

    EGraphPicture run(const std::vector<ClassIndex>& shown) {
        std::vector<bool> inlined(m_index.classCount(), false);
        for (const ClassIndex one : shown) inlined[one] = staysInRows(one);
        m_boxes.assign(m_index.classCount(), EGraphIndex::None);
        for (const ClassIndex one : shown) {
            if (inlined[one]) {
                ++m_picture.inlined;
                continue;
            }
            m_boxes[one] = static_cast<GraphIndex>(m_picture.classes.size());
            m_picture.classes.push_back(one);
        }
        m_picture.graph.arrows = true;
        m_extracted.assign(m_index.classCount(), false);
        const std::vector<ClassIndex> starts = startsOf(m_index, m_scope);
        for (const ClassIndex one : extractionCone(m_index, starts, nullptr)) m_extracted[one] = true;
        for (const ClassIndex one : m_picture.classes) describe(one);
        fadeAllButTheExtraction();
        return std::move(m_picture);
    }

private:
    [[nodiscard]] bool staysInRows(ClassIndex one) const {
        return m_scope.inlineLeaves && one != m_scope.centre && m_index.isLeaf(one) && !m_index.parents(one).empty() &&
               std::ranges::find(m_index.starts(), one) == m_index.starts().end();
    }

    [[nodiscard]] Chosen chosen(ENodeIndex node) const { return chosenBy(m_index, m_marks, node); }

    [[nodiscard]] std::vector<ENodeIndex> rowsOf(ClassIndex one) const {
        std::vector<ENodeIndex> rows;
        for (const ENodeIndex node : m_index.members(one)) {
            if (!m_scope.hideSubsumed || !m_snapshot.nodes[node].subsumed) rows.push_back(node);
        }
        // Chosen nodes come first, then new ones, so that they are visible without unfolding.
        std::ranges::stable_sort(rows, [this](ENodeIndex a, ENodeIndex b) {
            const auto rank = [this](ENodeIndex node) { return chosen(node).any ? 0 : isNew(node) ? 1 : 2; };
            return rank(a) < rank(b);
        });
        return rows;
    }

    [[nodiscard]] bool isNew(ENodeIndex node) const {
        return m_marks.iteration > 0 && m_snapshot.nodes[node].iteration == m_marks.iteration;
    }

    void describe(ClassIndex one) {
        const egraph::Snapshot::Class& about = m_snapshot.classes[one];
        GraphNode box;
        box.title = about.type.empty() ? shortText(fromUtf8(about.id))
                                       : shortText(tr("%1 : %2").arg(fromUtf8(about.id), fromUtf8(about.type)));
        const std::vector<ENodeIndex> all = rowsOf(one);
        QStringList facts{tr("cost %1").arg(costText(m_index.bestCost(one)))};
        if (std::ranges::count(m_snapshot.roots, one) > 0) facts.prepend(tr("root"));
        const bool merged = m_marks.iteration > 0 && about.iteration == m_marks.iteration;
        if (merged) facts << tr("merged");
        const bool collapsed = m_scope.collapsed.count(one) > 0;
        if (collapsed) facts << tr("%1 nodes").arg(countText(all.size()));
        box.detail = facts.join(QStringLiteral(" · "));
        box.doubleFrame = merged;
        box.toolTip = toolTip(one, all.size());
        const std::size_t limit = m_scope.expanded.count(one) > 0 ? EGraphScope::ExpandedRows : EGraphScope::UsualRows;
        const std::size_t drawn = collapsed ? 0 : all.size() <= limit + 1 ? all.size() : limit;
        const auto self = static_cast<GraphIndex>(m_picture.graph.nodes.size());
        std::set<ClassIndex> behind;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const int row = i < drawn ? static_cast<int>(i) : -1;
            if (row >= 0) box.rows.push_back(describeRow(all[i]));
            join(self, all[i], collapsed ? -1 : row, row >= 0 || collapsed, behind);
        }
        if (drawn < all.size() && !collapsed) {
            GraphRow more;
            more.text = tr("… %1 more").arg(countText(all.size() - drawn));
            box.rows.push_back(more);
        }
        box.hidden = behind.size();
        box.expandable = !behind.empty() || m_scope.expanded.count(one) > 0;
        m_picture.rows.emplace_back(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(drawn));
        m_picture.graph.nodes.push_back(std::move(box));
    }

    /// If no edge belongs to the extraction, all stay as they are.
    void fadeAllButTheExtraction() {
        auto& edges = m_picture.graph.edges;
        if (std::ranges::none_of(edges, &GraphEdge::strong)) return;
        for (GraphEdge& edge : edges) edge.faint = !edge.strong;
    }

    /// Adds one edge to the box of each of a node's arguments; arguments without a box are counted.
    void join(GraphIndex self, ENodeIndex member, int row, bool draws, std::set<ClassIndex>& behind) {
        const egraph::Snapshot::Node& node = m_snapshot.nodes[member];
        const Chosen by = chosen(member);
        const bool strong = by.any && (!by.letters.isEmpty() || m_extracted[node.eclass]);
        std::vector<GraphIndex> joined;
        for (std::uint32_t i = 0; i < node.childCount; ++i) {
            const ClassIndex child = m_snapshot.childClass(node, i);
            const GraphIndex to = m_boxes[child];
            if (to == EGraphIndex::None) {
                if (!staysInRows(child)) behind.insert(child);
                continue;
            }
            if (!draws || std::ranges::find(joined, to) != joined.end()) continue;
            joined.push_back(to);
            auto& edges = m_picture.graph.edges;
            if (row < 0) {  // a box without rows needs only one edge to each other box
                const auto same = std::find_if(edges.rbegin(), edges.rend(), [&](const GraphEdge& edge) {
                    return edge.from != self || edge.to == to;
                });
                if (same != edges.rend() && same->from == self) {
                    same->strong = same->strong || strong;
                    continue;
                }
            }
            edges.push_back({self, to, GraphEdge::Kind::Child, row, strong});
        }
    }

    [[nodiscard]] GraphRow describeRow(ENodeIndex member) const {
        const egraph::Snapshot::Node& node = m_snapshot.nodes[member];
        GraphRow row;
        row.text = shortText(fromUtf8(node.op));
        double cost = node.cost;
        QStringList arguments;
        bool inlined = false;
        for (std::uint32_t i = 0; i < node.childCount; ++i) {
            const ClassIndex child = m_snapshot.childClass(node, i);
            if (!staysInRows(child)) {
                arguments << QStringLiteral("·");
                continue;
            }
            const egraph::Snapshot::Node& leaf = m_snapshot.nodes[m_index.members(child).front()];
            arguments << fromUtf8(leaf.op);
            cost += leaf.cost;
            inlined = true;
        }
        if (inlined) {
            row.text = shortText(QStringLiteral("%1(%2)").arg(fromUtf8(node.op), arguments.join(QStringLiteral(", "))));
        }
        row.detail = costText(cost);
        row.faint = node.subsumed;
        const Chosen by = chosen(member);
        row.strong = by.any;
        if (isNew(member)) {
            row.tag = QStringLiteral("+");
            row.frame = Qt::DotLine;
        }
        row.tag += by.letters;
        const bool two = m_marks.extractions[0] && m_marks.extractions[1];
        if (two && by.any) row.frame = by.first && by.second ? Qt::NoPen : by.first ? Qt::SolidLine : Qt::DashLine;
        return row;
    }

    [[nodiscard]] QString toolTip(ClassIndex one, std::size_t count) const {
        const egraph::Snapshot::Class& about = m_snapshot.classes[one];
        QStringList lines{tr("class %1, %2 nodes, %3 uses")
                              .arg(fromUtf8(about.id), countText(count), countText(m_index.parents(one).size()))};
        for (const auto& [key, value] : about.data) lines << tr("%1: %2").arg(fromUtf8(key), fromUtf8(value));
        return lines.join(QLatin1Char('\n'));
    }

    const EGraphIndex& m_index;
    const egraph::Snapshot& m_snapshot;
    const EGraphScope& m_scope;
    const EGraphMarks& m_marks;
    std::vector<GraphIndex> m_boxes;  // by class
    std::vector<bool> m_extracted;    // classes of the cheapest terms of the starting classes
    EGraphPicture m_picture;
};

}  // namespace

Chosen chosenBy(const EGraphIndex& index, const EGraphMarks& marks, ENodeIndex node) {
    const ClassIndex one = index.snapshot().nodes[node].eclass;
    Chosen by;
    if (!marks.extractions[0] && !marks.extractions[1]) {
        by.any = index.best(one) == node;
        return by;
    }
    by.first = marks.extractions[0] && (*marks.extractions[0])[one] == node;
    by.second = marks.extractions[1] && (*marks.extractions[1])[one] == node;
    by.any = by.first || by.second;
    if (by.first) by.letters += QLatin1Char('A');
    if (by.second) by.letters += QLatin1Char('B');
    return by;
}

std::optional<GraphIndex> EGraphPicture::boxOf(ClassIndex which) const {
    const auto found = std::ranges::find(classes, which);
    if (found == classes.end()) return std::nullopt;
    return static_cast<GraphIndex>(found - classes.begin());
}

std::vector<ClassIndex> extractionCone(const EGraphIndex& index, const std::vector<ClassIndex>& from,
                                       const NodeChoice* choice) {
    const egraph::Snapshot& snapshot = index.snapshot();
    std::vector<bool> seen(index.classCount(), false);
    std::vector<ClassIndex> cone;
    const auto meet = [&](ClassIndex one) {
        if (seen[one]) return;
        seen[one] = true;
        cone.push_back(one);
    };
    for (const ClassIndex one : from) meet(one);
    for (std::size_t at = 0; at < cone.size(); ++at) {
        const ENodeIndex chosen = choice != nullptr ? (*choice)[cone[at]] : index.best(cone[at]);
        if (chosen == EGraphIndex::None) continue;
        const egraph::Snapshot::Node& node = snapshot.nodes[chosen];
        for (std::uint32_t i = 0; i < node.childCount; ++i) meet(snapshot.childClass(node, i));
    }
    return cone;
}

EGraphPicture makeEGraphPicture(const EGraphIndex& index, const EGraphScope& scope, const EGraphMarks& marks) {
    Choosing choosing(index, scope, marks);
    const std::vector<ClassIndex> shown = choosing.run();
    EGraphPicture picture = Describing(index, scope, marks).run(shown);
    picture.cut = choosing.wasCut();
    return picture;
}

}  // namespace mitos::views
