// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/match/rule_verdicts_model.h"

#include "views/common/format.h"

#include <algorithm>
#include <utility>

namespace mitos::views {

RuleVerdictsModel::RuleVerdictsModel(QObject* parent) : QAbstractTableModel(parent) {}

void RuleVerdictsModel::setVerdicts(std::vector<RuleVerdict> verdicts) {
    beginResetModel();
    m_verdicts = std::move(verdicts);
    endResetModel();
}

void RuleVerdictsModel::setColors(const QColor& matches, const QColor& refused) {
    m_matches = matches;
    m_refused = refused;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::ForegroundRole});
}

int RuleVerdictsModel::rowOf(const QString& ruleName) const {
    const std::string name = ruleName.toStdString();
    const auto found = std::find_if(m_verdicts.begin(), m_verdicts.end(),
                                    [&](const RuleVerdict& verdict) { return verdict.rule->name() == name; });
    return found == m_verdicts.end() ? -1 : static_cast<int>(found - m_verdicts.begin());
}

int RuleVerdictsModel::matching() const {
    return static_cast<int>(std::count_if(m_verdicts.begin(), m_verdicts.end(),
                                          [](const RuleVerdict& verdict) { return verdict.matches; }));
}

int RuleVerdictsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_verdicts.size());
}

int RuleVerdictsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant RuleVerdictsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const RuleVerdict& entry = verdict(index.row());
    const QString outcome = entry.matches ? tr("✓ matches") : tr("✗ %1").arg(entry.reason);
    switch (role) {
        case Qt::DisplayRole: return index.column() == RuleColumn ? fromUtf8(entry.rule->name()) : outcome;
        case Qt::ToolTipRole: return index.column() == RuleColumn ? fromUtf8(entry.rule->rule().text) : outcome;
        case Qt::ForegroundRole:
            return index.column() == VerdictColumn ? QVariant(entry.matches ? m_matches : m_refused) : QVariant();
        default: return {};
    }
}

QVariant RuleVerdictsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == RuleColumn ? tr("Rule") : tr("Here");
}

}  // namespace mitos::views
