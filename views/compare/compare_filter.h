// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts and filters the runs of a comparison.
#pragma once

#include "views/compare/compare_model.h"

#include <QList>
#include <QSortFilterProxyModel>
#include <QString>
#include <QStringList>
#include <optional>

namespace mitos::views {

/// Sorts, and filters by words and numbers: "mcts best < 30.5k time < 2". A group is shown if it fits or one of its runs does, with the
/// runs that fit.
class CompareFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit CompareFilter(CompareModel& model, QObject* parent = nullptr);

    void setText(const QString& text);
    void setProgram(std::optional<int> program);      ///< shows its rows only
    void setStart(std::optional<SearchStart> start);  ///< shows only searches that began there
    [[nodiscard]] const std::optional<SearchStart>& start() const { return m_start; }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    struct Limit {
        QString name;
        QString relation;  ///< "<", "<=", ">", ">=", "="
        double value = 0.0;
    };
    [[nodiscard]] bool fits(const QModelIndex& index) const;

    CompareModel& m_model;
    QStringList m_words;
    QList<Limit> m_limits;
    std::optional<int> m_program;
    std::optional<SearchStart> m_start;
};

}  // namespace mitos::views
