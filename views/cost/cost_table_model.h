// SPDX-License-Identifier: GPL-3.0-or-later
// The cost explanation as a table.
#pragma once

#include "views/cost/cost_rows.h"

#include <QAbstractTableModel>
#include <QString>

namespace mitos::views {

class CostTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Part, Once, Times, InAll, Share, Made, Other, OtherShare, ColumnCount };
    static constexpr int SortRole = Qt::UserRole;
    /// The share of the program's cost as a number, for the bar; in the column Made, the largest component.
    static constexpr int ShareRole = Qt::UserRole + 1;

    explicit CostTableModel(QObject* parent = nullptr);
    /// `other` is the name of the second model; empty if there is none.
    void setRows(std::vector<CostRow> rows, const QString& other);
    /// Whether the model reports the components of operators' costs.
    [[nodiscard]] bool hasMade() const;
    [[nodiscard]] const CostRow& row(int row) const { return m_rows[static_cast<std::size_t>(row)]; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<CostRow> m_rows;
    QString m_other;
};

}  // namespace mitos::views
