// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the tree: an index's internal id is the node's number in pre-order; in a graph, the row of the outline.
#include "views/program/program_tree_model.h"

#include "core/ir/operator_registry.h"
#include "views/common/format.h"

#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {
constexpr qsizetype LongestLabel = 120;
}

double ProgramContent::share(NodeIndex node) const {
    if (costs.size() != text.nodes().size() || costs.empty() || !(costs[0].total > 0.0)) return -1.0;
    const cost::CostPart& part = costs[node];
    return std::clamp((text.isGraph() ? part.own : part.total) * part.times / costs[0].total, 0.0, 1.0);
}

void ProgramContent::findLineCosts() {
    if (costs.size() != text.nodes().size()) return;
    for (const auto form : {ProgramText::Form::Exchange, ProgramText::Form::Reading}) {
        const QString& all = text.text(form);
        std::vector<double> at(static_cast<std::size_t>(all.size()) + 1, 0.0);  // by position
        for (std::size_t i = 0; i < costs.size(); ++i) {
            at[static_cast<std::size_t>(text.range(static_cast<NodeIndex>(i), form).begin)] +=
                costs[i].own * costs[i].times;
        }
        std::vector<double>& found = lines[static_cast<std::size_t>(form)];
        found.assign(1, 0.0);
        for (qsizetype i = 0; i < all.size(); ++i) {
            if (all[i] == QLatin1Char('\n')) found.push_back(0.0);
            found.back() += at[static_cast<std::size_t>(i)];
        }
    }
}

ProgramTreeModel::ProgramTreeModel(QObject* parent) : QAbstractItemModel(parent) {}

void ProgramTreeModel::setContent(std::shared_ptr<const ProgramContent> content, const ir::TermBank* bank) {
    beginResetModel();
    m_content = std::move(content);
    m_bank = bank;
    m_gain.reset();
    m_highlighted.assign(m_content ? m_content->text.nodes().size() : 0, false);
    endResetModel();
}

void ProgramTreeModel::setHighlighted(const std::vector<NodeIndex>& nodes, const QColor& colour) {
    std::vector<bool> before(m_highlighted.size(), false);
    before.swap(m_highlighted);
    for (const NodeIndex node : nodes) m_highlighted[node] = true;
    m_highlight = colour;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (!before[i] && !m_highlighted[i]) continue;
        const QModelIndex first = indexOf(static_cast<NodeIndex>(i));
        if (!first.isValid()) continue;
        Q_EMIT dataChanged(first, first.siblingAtColumn(ColumnCount - 1), {Qt::BackgroundRole});
    }
}

void ProgramTreeModel::setGain(std::shared_ptr<const ShownGain> gain, const Theme& theme) {
    if (!gain && !m_gain) return;
    // The rows are too many to be named one by one; views ask for those that are visible.
    Q_EMIT layoutAboutToBeChanged();
    m_gain = std::move(gain);
    m_theme = theme;
    Q_EMIT layoutChanged();
}

QModelIndex ProgramTreeModel::indexOf(NodeIndex node) const {
    if (!m_content || node >= m_content->text.nodes().size()) return {};
    if (!isOutline()) return createIndex(static_cast<int>(m_content->text.nodes()[node].row), 0, quintptr(node));
    const std::uint32_t row = m_content->parts.rowOf[node];
    if (row == ProgramParts::None) return {};
    return createIndex(static_cast<int>(m_content->parts.outline[row].row), 0, quintptr(row));
}

NodeIndex ProgramTreeModel::nodeOf(const QModelIndex& index) const {
    return isOutline() ? row(index).node : static_cast<NodeIndex>(index.internalId());
}

QModelIndex ProgramTreeModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    if (isOutline()) {
        const auto& rows = parent.isValid() ? this->row(parent).children : m_content->parts.top;
        return createIndex(row, column, quintptr(rows[static_cast<std::size_t>(row)]));
    }
    if (!parent.isValid()) return createIndex(0, column, quintptr(0));
    return createIndex(row, column, quintptr(m_content->text.child(nodeOf(parent), static_cast<std::uint32_t>(row))));
}

QModelIndex ProgramTreeModel::parent(const QModelIndex& index) const {
    if (!index.isValid()) return {};
    if (isOutline()) {
        const std::uint32_t above = row(index).parent;
        if (above == ProgramParts::None) return {};
        return createIndex(static_cast<int>(m_content->parts.outline[above].row), 0, quintptr(above));
    }
    if (nodeOf(index) == 0) return {};
    return indexOf(m_content->text.nodes()[nodeOf(index)].parent);
}

int ProgramTreeModel::rowCount(const QModelIndex& parent) const {
    if (!m_content || m_content->text.nodes().empty() || parent.column() > 0) return 0;
    if (isOutline()) return static_cast<int>((parent.isValid() ? row(parent).children : m_content->parts.top).size());
    if (!parent.isValid()) return 1;
    return static_cast<int>(m_content->text.childCount(nodeOf(parent)));
}

int ProgramTreeModel::columnCount(const QModelIndex& /*parent*/) const { return ColumnCount; }

QString ProgramTreeModel::shownText(NodeIndex node, int column) const {
    const ProgramText& text = m_content->text;
    const ir::TermId term = text.nodes()[node].term;
    switch (column) {
        case Term: {
            const QString label = text.label(node);
            return label.size() > LongestLabel ? label.left(LongestLabel) + QStringLiteral("…") : label;
        }
        case Type:
            return text.isGraph() ? m_content->parts.nodes[node].shape
                                  : fromUtf8(m_bank->types().toString(m_bank->type(term)));
        default: break;
    }
    if (m_content->costs.size() != text.nodes().size()) return QStringLiteral("…");
    const cost::CostPart& part = m_content->costs[node];
    if (column == Own) return costText(part.own);
    if (column == Total) return costText(part.total);
    const double share = m_content->share(node);
    return share < 0 ? QString() : tr("%1 %").arg(QLocale().toString(share * 100.0, 'f', share < 0.0995 ? 1 : 0));
}

QString ProgramTreeModel::outlineText(const OutlineRow& row, int column) const {
    if (!row.isHead) {
        if (column != Term) return shownText(row.node, column);
        const QString name = m_content->text.name(row.node);
        const QString label = m_content->text.label(row.node);
        return name == label ? label : tr("%1  %2").arg(label, name);
    }
    switch (column) {
        case Term: return row.title;
        case Own:
        case Total: return m_content->costs.empty() ? QStringLiteral("…") : costText(row.cost);
        case Share: {
            const double share = m_content->costs.empty() ? -1.0 : row.cost / m_content->costs[0].total;
            return share >= 0 ? tr("%1 %").arg(QLocale().toString(share * 100.0, 'f', share < 0.0995 ? 1 : 0))
                              : QString();
        }
        default: return {};
    }
}

double ProgramTreeModel::shareOf(const QModelIndex& index) const {
    if (!isOutline() || !row(index).isHead) return m_content->share(nodeOf(index));
    if (m_content->costs.empty() || !(m_content->costs[0].total > 0.0)) return -1.0;
    return std::clamp(row(index).cost / m_content->costs[0].total, 0.0, 1.0);
}

QString ProgramTreeModel::gainText(const QModelIndex& index) const {
    if (!m_gain || (isOutline() && row(index).isHead)) return {};
    return m_gain->shortText(nodeOf(index));
}

QVariant ProgramTreeModel::backgroundOf(const QModelIndex& index) const {
    if (isOutline() && row(index).isHead) return {};
    const NodeIndex node = nodeOf(index);
    if (index.column() == Gain && m_gain) {
        const std::optional<double> heat = m_gain->heat(node);
        return heat && *heat > 0.0 ? QVariant(m_theme->heat(*heat)) : QVariant();
    }
    return m_highlighted[node] ? QVariant(m_highlight) : QVariant();
}

QVariant ProgramTreeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const NodeIndex node = nodeOf(index);
    switch (role) {
        case Qt::DisplayRole:
            if (index.column() == Gain) return gainText(index);
            return isOutline() ? outlineText(row(index), index.column()) : shownText(node, index.column());
        case Qt::TextAlignmentRole:
            return index.column() >= Own ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
        case Qt::BackgroundRole: return backgroundOf(index);
        case Qt::ToolTipRole: {
            if (isOutline() && row(index).isHead) return row(index).title;
            if (index.column() == Gain) return m_gain ? m_gain->text(node) : QString();
            if (index.column() >= Own && node < m_content->costs.size()) {
                const cost::CostPart& part = m_content->costs[node];
                return tr("%1\nCounts %2 times in the whole.").arg(fromUtf8(part.reason), costText(part.times));
            }
            return fromUtf8(m_bank->registry().info(m_bank->op(m_content->text.nodes()[node].term)).doc);
        }
        case ShareRole: return shareOf(index);
        default: return {};
    }
}

QVariant ProgramTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && section >= Own) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        switch (section) {
            case Own: return tr("Cost of the operator itself, once");
            case Total: return tr("Cost of the whole subterm, once");
            case Gain: return tr("Estimate of what can still be gained in the subterm, in the whole program");
            case Share: return tr("Part of the program's cost, with the number of times the subterm counts");
            default: return {};
        }
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Term: return tr("Term");
        case Type: return tr("Type");
        case Own: return tr("Own");
        case Total: return tr("Total");
        case Share: return tr("Share");
        case Gain: return tr("Gain");
        default: return {};
    }
}

}  // namespace mitos::views
