// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/saturation/internal/guide_tree_model.h"

#include "views/common/format.h"

#include <QFont>
#include <algorithm>
#include <array>
#include <utility>

namespace mitos::views {

GuideTreeModel::GuideTreeModel(QObject* parent) : QAbstractItemModel(parent) {}

void GuideTreeModel::setTree(std::shared_ptr<const search::GuideTree> tree, std::vector<std::string> rules,
                             const QString& unit) {
    beginResetModel();
    m_tree = std::move(tree);
    m_rules = std::move(rules);
    m_unit = unit;
    const std::size_t size = m_tree ? m_tree->nodes.size() : 0;
    m_children.assign(size, {});
    m_rows.assign(size, 0);
    m_isPrincipal.assign(size, false);
    for (std::size_t node = 1; node < size; ++node)
        m_children[m_tree->nodes[node].parent].push_back(static_cast<std::uint32_t>(node));
    for (std::vector<std::uint32_t>& children : m_children) {
        std::ranges::stable_sort(children, std::ranges::greater(),
                                 [&](std::uint32_t child) { return m_tree->nodes[child].visits; });
        for (std::size_t row = 0; row < children.size(); ++row) m_rows[children[row]] = static_cast<int>(row);
    }
    for (const QModelIndex& index : principalLine()) m_isPrincipal[index.internalId()] = true;
    endResetModel();
}

std::vector<QModelIndex> GuideTreeModel::principalLine() const {
    std::vector<QModelIndex> line;
    if (!m_tree || m_tree->nodes.empty()) return line;
    line.push_back(createIndex(0, 0, quintptr{0}));
    for (std::uint32_t node = m_tree->chosen; node != 0;) {
        line.push_back(createIndex(m_rows[node], 0, quintptr{node}));
        node = m_children[node].empty() ? 0 : m_children[node].front();
    }
    return line;
}

std::vector<std::uint32_t> GuideTreeModel::rulesTo(const QModelIndex& index) const {
    std::vector<std::uint32_t> rules;
    for (auto node = static_cast<std::uint32_t>(index.internalId()); node != 0; node = m_tree->nodes[node].parent)
        rules.push_back(m_tree->nodes[node].rule);
    std::ranges::reverse(rules);
    return rules;
}

QString GuideTreeModel::ruleName(std::uint32_t rule) const {
    return rule < m_rules.size() ? fromUtf8(m_rules[rule]) : tr("rule %1").arg(rule);
}

QModelIndex GuideTreeModel::index(int row, int column, const QModelIndex& parent) const {
    if (!m_tree || row < 0 || column < 0 || column >= ColumnCount) return {};
    if (!parent.isValid())
        return row == 0 && !m_tree->nodes.empty() ? createIndex(0, column, quintptr{0}) : QModelIndex();
    const std::vector<std::uint32_t>& children = m_children[parent.internalId()];
    if (static_cast<std::size_t>(row) >= children.size()) return {};
    return createIndex(row, column, quintptr{children[static_cast<std::size_t>(row)]});
}

QModelIndex GuideTreeModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == 0) return {};
    const std::uint32_t parent = m_tree->nodes[child.internalId()].parent;
    return createIndex(m_rows[parent], 0, quintptr{parent});
}

int GuideTreeModel::rowCount(const QModelIndex& parent) const {
    if (!m_tree || m_tree->nodes.empty()) return 0;
    if (!parent.isValid()) return 1;
    return parent.column() == 0 ? static_cast<int>(m_children[parent.internalId()].size()) : 0;
}

int GuideTreeModel::columnCount(const QModelIndex& /*parent*/) const { return ColumnCount; }

QString GuideTreeModel::text(std::size_t which, int column) const {
    const search::GuideTree::Node& node = m_tree->nodes[which];
    constexpr double Percent = 100.0;
    switch (column) {
        case Rule: return which == 0 ? tr("the e-graph so far") : ruleName(node.rule);
        case Visits: return countText(node.visits);
        case Reward:
            if (which == 0) return {};
            return node.value > 0.0 ? tr("−%1 %").arg(QLocale().toString(node.value * Percent, 'f', 2)) : tr("none");
        case Cost: return costText(node.cost);
        case Nodes: return countText(node.enodes);
        case State:
            if (which == m_tree->chosen && which != 0) return tr("★ chosen");
            if (node.isFull) return tr("full");
            return node.isSaturated ? tr("saturated") : QString();
        default: return {};
    }
}

QVariant GuideTreeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto node = static_cast<std::size_t>(index.internalId());
    const search::GuideTree::Node& at = m_tree->nodes[node];
    switch (role) {
        case Qt::DisplayRole: return text(node, index.column());
        case Qt::FontRole: {
            QFont font;
            if (!m_isPrincipal[node]) return {};
            font.setWeight(QFont::DemiBold);
            return font;
        }
        case Qt::TextAlignmentRole: {
            const bool isText = index.column() == Rule || index.column() == State;
            return static_cast<int>((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        }
        case PrincipalRole: return bool{m_isPrincipal[node]};
        case ShareRole: {
            const std::uint64_t all = m_tree->nodes.front().visits;
            if (index.column() != Visits || all == 0) return -1.0;
            return static_cast<double>(at.visits) / static_cast<double>(all);
        }
        case Qt::ToolTipRole: {
            QString tip = node == 0 ? tr("The e-graph that the next rule is chosen for") : ruleName(at.rule);
            tip +=
                tr("\n%1 visits; the simulations through it made the program %2 % cheaper on average\ncheapest program "
                   "%3 %4, %5 e-nodes")
                    .arg(countText(at.visits), QLocale().toString(at.value * 100.0, 'f', 3), exactCostText(at.cost),
                         m_unit, countText(at.enodes));
            if (at.isFull) tip += tr("\na limit ended the application of its rule");
            if (at.isSaturated) tip += tr("\nno rule changes its e-graph");
            return tip;
        }
        default: return {};
    }
}

QVariant GuideTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        const bool isText = section == Rule || section == State;
        return static_cast<int>((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    const std::array<QString, ColumnCount> titles{tr("Rule"), tr("Visits"),  tr("Average reward"),
                                                  tr("Cost"), tr("E-nodes"), tr("State")};
    return role == Qt::DisplayRole ? QVariant(titles[static_cast<std::size_t>(section)]) : QVariant();
}

}  // namespace mitos::views
