// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/match/internal/match_steps_model.h"

#include "views/common/format.h"

#include <algorithm>
#include <utility>

namespace mitos::views {

MatchStepsModel::MatchStepsModel(QObject* parent)
    : TableModel({{tr("#"), Qt::AlignRight}, {tr("Transition")}, {tr("Worked on")}, {tr("Wanted and found")}}, parent) {
}

void MatchStepsModel::setTrace(std::shared_ptr<const rules::MatchTrace> trace) {
    beginResetModel();
    m_trace = std::move(trace);
    endResetModel();
}

void MatchStepsModel::setColors(const QColor& success, const QColor& refusal) {
    m_success = success;
    m_refusal = refusal;
    announce(0, ColumnCount - 1, {Qt::ForegroundRole});
}

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

QVariant MatchStepsModel::cell(int row, int column, int role) const {
    const rules::TraceStep& step = m_trace->steps[static_cast<std::size_t>(row)];
    switch (role) {
        case Qt::DisplayRole: return text(row, column);
        case Qt::ToolTipRole: {
            if (column != TransitionColumn) return text(row, column);
            const QString meaning = fromUtf8(rules::meaning(step.transition));
            return rules::isAddition(step.transition)
                       ? tr("%1\n(an addition to the machine of the PyPM paper)").arg(meaning)
                       : tr("%1\n(PyPM paper, Figures 7, 17 and 18)").arg(meaning);
        }
        case Qt::ForegroundRole:
            if (column != TransitionColumn) return {};
            if (rules::isRefusal(step.transition)) return m_refusal;
            return step.transition == rules::Transition::Success ? QVariant(m_success) : QVariant();
        default: return {};
    }
}

RuleVerdictsModel::RuleVerdictsModel(QObject* parent) : TableModel({{tr("Rule")}, {tr("Here")}}, parent) {}

void RuleVerdictsModel::setVerdicts(std::vector<RuleVerdict> verdicts) {
    beginResetModel();
    m_verdicts = std::move(verdicts);
    endResetModel();
}

void RuleVerdictsModel::setColors(const QColor& matches, const QColor& refused) {
    m_matches = matches;
    m_refused = refused;
    announce(0, ColumnCount - 1, {Qt::ForegroundRole});
}

int RuleVerdictsModel::rowOf(const QString& ruleName) const {
    const std::string name = ruleName.toStdString();
    const auto found =
        std::ranges::find_if(m_verdicts, [&](const RuleVerdict& verdict) { return verdict.rule->name() == name; });
    return found == m_verdicts.end() ? -1 : static_cast<int>(found - m_verdicts.begin());
}

int RuleVerdictsModel::matching() const {
    return static_cast<int>(std::ranges::count_if(m_verdicts, &RuleVerdict::matches));
}

QVariant RuleVerdictsModel::cell(int row, int column, int role) const {
    const RuleVerdict& entry = verdict(row);
    const QString outcome = entry.matches ? tr("✓ matches") : tr("✗ %1").arg(entry.reason);
    switch (role) {
        case Qt::DisplayRole: return column == RuleColumn ? fromUtf8(entry.rule->name()) : outcome;
        case Qt::ToolTipRole: return column == RuleColumn ? fromUtf8(entry.rule->rule().text) : outcome;
        case Qt::ForegroundRole:
            return column == VerdictColumn ? QVariant(entry.matches ? m_matches : m_refused) : QVariant();
        default: return {};
    }
}

}  // namespace mitos::views
