// SPDX-License-Identifier: GPL-3.0-or-later
// The transitions of a traced match, as a table.
#pragma once

#include "core/rules/matching/trace.h"
#include "views/common/table_model.h"
#include "views/match/match_run.h"

#include <QColor>
#include <memory>
#include <vector>

namespace mitos::views {

class MatchStepsModel : public TableModel {
    Q_OBJECT
public:
    enum Column { NumberColumn, TransitionColumn, ActionColumn, DetailColumn, ColumnCount };

    explicit MatchStepsModel(QObject* parent = nullptr);

    void setTrace(std::shared_ptr<const rules::MatchTrace> trace);
    /// Colours of transitions that succeed and of those that fail.
    void setColors(const QColor& success, const QColor& refusal);

private:
    [[nodiscard]] std::size_t rows() const override { return m_trace ? m_trace->steps.size() : 0; }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    [[nodiscard]] QVariant text(int row, int column) const;

    std::shared_ptr<const rules::MatchTrace> m_trace;
    QColor m_success;
    QColor m_refusal;
};

class RuleVerdictsModel : public TableModel {
    Q_OBJECT
public:
    enum Column { RuleColumn, VerdictColumn, ColumnCount };

    explicit RuleVerdictsModel(QObject* parent = nullptr);

    void setVerdicts(std::vector<RuleVerdict> verdicts);
    void setColors(const QColor& matches, const QColor& refused);
    [[nodiscard]] const RuleVerdict& verdict(int row) const { return m_verdicts[static_cast<std::size_t>(row)]; }
    /// Row of a rule; -1 if it is not listed.
    [[nodiscard]] int rowOf(const QString& ruleName) const;
    [[nodiscard]] int matching() const;

private:
    [[nodiscard]] std::size_t rows() const override { return m_verdicts.size(); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    std::vector<RuleVerdict> m_verdicts;
    QColor m_matches;
    QColor m_refused;
};

}  // namespace mitos::views
