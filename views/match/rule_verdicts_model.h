// SPDX-License-Identifier: GPL-3.0-or-later
// The rules, ordered by how close they come to matching at a subterm.
#pragma once

#include "views/match/match_run.h"

#include <QAbstractTableModel>
#include <QColor>
#include <vector>

namespace mitos::views {

class RuleVerdictsModel : public QAbstractTableModel {
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

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<RuleVerdict> m_verdicts;
    QColor m_matches;
    QColor m_refused;
};

}  // namespace mitos::views
