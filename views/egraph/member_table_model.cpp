// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/egraph/member_table_model.h"

#include "views/common/format.h"

#include <QFont>
#include <utility>

namespace mitos::views {

MemberTableModel::MemberTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void MemberTableModel::setClass(std::shared_ptr<const EGraphIndex> index, ClassIndex which, EGraphMarks marks) {
    beginResetModel();
    m_index = std::move(index);
    m_marks = std::move(marks);
    m_members.clear();
    if (m_index) {
        const auto members = m_index->members(which);
        m_members.assign(members.begin(), members.end());
    }
    endResetModel();
}

int MemberTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_members.size());
}

int MemberTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant MemberTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ENodeIndex member = nodeAt(index.row());
    const egraph::Snapshot::Node& node = m_index->snapshot().nodes[member];
    const Chosen chosen = chosenBy(*m_index, m_marks, member);
    switch (role) {
        case Qt::DisplayRole:
            switch (index.column()) {
                case NodeColumn: {
                    const QString text = m_index->nodeText(member);
                    if (node.subsumed) return tr("%1 (subsumed)").arg(text);
                    return chosen.letters.isEmpty() ? text : tr("%1  %2").arg(chosen.letters, text);
                }
                case CostColumn: return costText(node.cost);
                case RuleColumn: return m_index->ruleOf(member);
                case IterationColumn: return QLocale().toString(node.iteration);
                default: return {};
            }
        case Qt::FontRole: {
            QFont font;
            font.setBold(chosen.any);
            font.setStrikeOut(node.subsumed);
            return font;
        }
        case Qt::TextAlignmentRole: {
            const bool number = index.column() == CostColumn || index.column() == IterationColumn;
            return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        }
        case Qt::ToolTipRole: return tr("e-node %1: %2").arg(fromUtf8(node.id), m_index->nodeText(member));
        default: return {};
    }
}

QVariant MemberTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case NodeColumn: return tr("E-node");
        case CostColumn: return tr("Cost");
        case RuleColumn: return tr("Made by");
        case IterationColumn: return tr("In");
        default: return {};
    }
}

}  // namespace mitos::views
