// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/egraph/egraph_index.h"

#include "core/extract/bottom_up.h"
#include "views/common/format.h"

#include <QStringList>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

/// Counting sort: builds lists by class without a separate list object for each.
template <typename ForEach>
void fill(std::vector<std::uint32_t>& begin, std::vector<ENodeIndex>& nodes, std::size_t classes, ForEach forEach) {
    begin.assign(classes + 1, 0);
    forEach([&](ClassIndex which, ENodeIndex) { ++begin[which + 1]; });
    for (std::size_t i = 0; i < classes; ++i) begin[i + 1] += begin[i];
    nodes.resize(begin[classes]);
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    forEach([&](ClassIndex which, ENodeIndex node) { nodes[next[which]++] = node; });
}

}  // namespace

EGraphIndex::EGraphIndex(std::shared_ptr<const egraph::Snapshot> snapshot) : m_snapshot(std::move(snapshot)) {
    sortNodes();
    findBest();
    m_starts = egraph::startClasses(*m_snapshot);
    m_nodes.reserve(m_snapshot->nodes.size());
    for (ENodeIndex node = 0; node < m_snapshot->nodes.size(); ++node)
        m_nodes.emplace(m_snapshot->nodes[node].id, node);
}

std::optional<ClassIndex> EGraphIndex::classOf(std::string_view id) const {
    const auto found = m_nodes.find(id);
    if (found == m_nodes.end()) return std::nullopt;
    return m_snapshot->nodes[found->second].eclass;
}

std::optional<ClassIndex> EGraphIndex::sameClass(const EGraphIndex& other, ClassIndex which) const {
    for (const ENodeIndex node : other.members(which)) {
        if (const auto found = classOf(other.snapshot().nodes[node].id)) return found;
    }
    return std::nullopt;
}

void EGraphIndex::sortNodes() {
    const auto& nodes = m_snapshot->nodes;
    fill(m_members.begin, m_members.nodes, classCount(), [&](auto see) {
        for (ENodeIndex node = 0; node < nodes.size(); ++node) see(nodes[node].eclass, node);
    });
    fill(m_parents.begin, m_parents.nodes, classCount(), [&](auto see) {
        for (ENodeIndex node = 0; node < nodes.size(); ++node) {
            for (std::uint32_t i = 0; i < nodes[node].childCount; ++i) {
                const ClassIndex child = m_snapshot->childClass(nodes[node], i);
                bool first = true;
                for (std::uint32_t k = 0; k < i && first; ++k) first = m_snapshot->childClass(nodes[node], k) != child;
                if (first) see(child, node);
            }
        }
    });
}

void EGraphIndex::findBest() {
    const extract::Problem problem = extract::makeProblem(*m_snapshot);
    std::vector<double> weight = problem.cost;
    for (double& cost : weight) cost = std::max(cost, 0.0);
    extract::BottomUp found = extract::bottomUp(problem, extract::ParentIndex(problem), weight);
    m_best.assign(classCount(), None);
    for (ClassIndex which = 0; which < classCount(); ++which) {
        if (found.choice[which] != extract::None)
            m_best[which] = problem.origin[found.choice[which]];
        else
            found.cost[which] = std::numeric_limits<double>::infinity();
    }
    m_bestCost = std::move(found.cost);
}

std::uint32_t EGraphIndex::born(ClassIndex which) const {
    std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
    for (const ENodeIndex member : members(which)) first = std::min(first, m_snapshot->nodes[member].iteration);
    return first;
}

bool EGraphIndex::isLeaf(ClassIndex which) const {
    const auto all = members(which);
    return all.size() == 1 && m_snapshot->nodes[all.front()].childCount == 0;
}

QString EGraphIndex::nodeText(ENodeIndex node) const {
    const egraph::Snapshot::Node& what = m_snapshot->nodes[node];
    if (what.childCount == 0) return fromUtf8(what.op);
    QStringList arguments;
    for (std::uint32_t i = 0; i < what.childCount; ++i) {
        arguments << fromUtf8(m_snapshot->classes[m_snapshot->childClass(what, i)].id);
    }
    return QStringLiteral("%1(%2)").arg(fromUtf8(what.op), arguments.join(QStringLiteral(", ")));
}

QString EGraphIndex::ruleOf(ENodeIndex node) const {
    const std::uint32_t rule = m_snapshot->nodes[node].rule;
    return rule == None ? QString() : fromUtf8(m_snapshot->rules[rule]);
}

}  // namespace mitos::views
