// SPDX-License-Identifier: GPL-3.0-or-later
// The base of table models: the columns are described as data.
#pragma once

#include <QAbstractTableModel>
#include <vector>

namespace mitos::views {

struct TableColumn {
    QString title;
    Qt::Alignment alignment = Qt::AlignLeft;  ///< of the cells and the title
    QString toolTip = {};                     ///< of the title; empty: none
};

/// A flat table. Subclasses return the number of rows and the data of each cell other than its alignment.
class TableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    TableModel(std::vector<TableColumn> columns, QObject* parent);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const final;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const final;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const final;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    [[nodiscard]] virtual std::size_t rows() const = 0;
    [[nodiscard]] virtual QVariant cell(int row, int column, int role) const = 0;

    void setTitle(int column, const QString& title) { m_columns[static_cast<std::size_t>(column)].title = title; }
    /// Announces that these columns have changed in all rows.
    void announce(int first, int last, const QList<int>& roles = {});

private:
    std::vector<TableColumn> m_columns;
};

}  // namespace mitos::views
