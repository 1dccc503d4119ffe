// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts and filters the runs of a comparison.
#pragma once

#include <QList>
#include <QSortFilterProxyModel>
#include <QString>
#include <QStringList>
#include <optional>

namespace mitos::views {

class CompareModel;

/// Sorts, and filters by words and numbers: "mcts best < 30.5k time < 2". A group is shown if it fits or one of its runs does, with the
/// runs that fit.
class CompareFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit CompareFilter(CompareModel& model, QObject* parent = nullptr);

    void setText(const QString& text);
    void setProgram(std::optional<int> program);  ///< shows its rows only

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
};

}  // namespace mitos::views
