// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/table_model.h"

#include <utility>

namespace mitos::views {

TableModel::TableModel(std::vector<TableColumn> columns, QObject* parent)
    : QAbstractTableModel(parent),
      m_columns(std::move(columns)) {}

int TableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows()); }

int TableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role != Qt::TextAlignmentRole) return cell(index.row(), index.column(), role);
    return static_cast<int>(m_columns[static_cast<std::size_t>(index.column())].alignment | Qt::AlignVCenter);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const TableColumn& column = m_columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::TextAlignmentRole) return static_cast<int>(column.alignment | Qt::AlignVCenter);
    return role == Qt::ToolTipRole && !column.toolTip.isEmpty() ? QVariant(column.toolTip) : QVariant();
}

void TableModel::announce(int first, int last, const QList<int>& roles) {
    if (rows() > 0) Q_EMIT dataChanged(index(0, first), index(rowCount() - 1, last), roles);
}

}  // namespace mitos::views
