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
    /// Part of the program's cost as a number, for the bar; of what it is made, the largest part.
    static constexpr int ShareRole = Qt::UserRole + 1;

    explicit CostTableModel(QObject* parent = nullptr);
    /// `other`: name of the model beside; empty: none.
    void setRows(std::vector<CostRow> rows, const QString& other);
    /// Whether the model tells what operators' costs consist of.
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
