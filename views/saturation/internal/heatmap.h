// SPDX-License-Identifier: GPL-3.0-or-later
// The table of rules and iterations, painted as a heatmap: cells are coloured and show numbers if they are wide enough.
#pragma once

#include <QStyledItemDelegate>
#include <QTableView>

namespace mitos::views {

class HeatmapDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

class HeatmapTable : public QTableView {
    Q_OBJECT
public:
    explicit HeatmapTable(QWidget* parent = nullptr);

    /// Divides the available width among the columns, which are at least a few pixels wide.
    void fitColumns();

protected:
    void resizeEvent(QResizeEvent* event) override;
};

}  // namespace mitos::views
