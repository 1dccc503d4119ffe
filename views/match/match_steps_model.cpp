// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/match/match_steps_model.h"

#include "views/common/format.h"

#include <utility>

namespace mitos::views {

MatchStepsModel::MatchStepsModel(QObject* parent) : QAbstractTableModel(parent) {}

void MatchStepsModel::setTrace(std::shared_ptr<const rules::MatchTrace> trace) {
    beginResetModel();
    m_trace = std::move(trace);
    endResetModel();
}

void MatchStepsModel::setColors(const QColor& success, const QColor& refusal) {
    m_success = success;
    m_refusal = refusal;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::ForegroundRole});
}

int MatchStepsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !m_trace ? 0 : static_cast<int>(m_trace->steps.size());
}

int MatchStepsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant MatchStepsModel::text(int row, int column) const {
    const rules::TraceStep& step = m_trace->steps[static_cast<std::size_t>(row)];
    switch (column) {
        case NumberColumn: return row + 1;
        case TransitionColumn: {
            // Each kind has its own mark, so that it does not rely on colour alone.
            QString mark = QStringLiteral("✓ ");
            if (rules::isRefusal(step.transition)) mark = QStringLiteral("✗ ");
            if (step.transition == rules::Transition::Success) mark = QStringLiteral("★ ");
            return mark + fromUtf8(rules::toString(step.transition));
        }
        case ActionColumn: return step.action ? fromUtf8(step.action->text) : QString();
        case DetailColumn: return fromUtf8(step.detail);
        default: return {};
    }
}

QVariant MatchStepsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !m_trace) return {};
    const rules::TraceStep& step = m_trace->steps[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole: return text(index.row(), index.column());
        case Qt::ToolTipRole: {
            if (index.column() != TransitionColumn) return text(index.row(), index.column());
            const QString meaning = fromUtf8(rules::meaning(step.transition));
            return rules::isAddition(step.transition)
                       ? tr("%1\n(an addition to the machine of the PyPM paper)").arg(meaning)
                       : tr("%1\n(PyPM paper, Figures 7, 17 and 18)").arg(meaning);
        }
        case Qt::TextAlignmentRole:
            return index.column() == NumberColumn ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
        case Qt::ForegroundRole:
            if (index.column() != TransitionColumn) return {};
            if (rules::isRefusal(step.transition)) return m_refusal;
            return step.transition == rules::Transition::Success ? QVariant(m_success) : QVariant();
        default: return {};
    }
}

QVariant MatchStepsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case NumberColumn: return tr("#");
        case TransitionColumn: return tr("Transition");
        case ActionColumn: return tr("Worked on");
        case DetailColumn: return tr("Wanted and found");
        default: return {};
    }
}

}  // namespace mitos::views
