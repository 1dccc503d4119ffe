// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/saturation/internal/heatmap.h"

#include "views/saturation/internal/heatmap_model.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QPainter>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr int NarrowestColumn = 14;
constexpr int WidestColumn = 64;
constexpr int TextMargin = 4;
constexpr double LightFrom = 0.55;  // from this share on, the text is dark

}  // namespace

void HeatmapDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme theme(option.palette);
    const double share = index.data(HeatmapModel::ShareRole).toDouble();
    const QRect cell = option.rect.adjusted(0, 0, -1, -1);
    QColor text = theme.faintText();
    if (share >= 0) {
        painter->fillRect(cell, Theme::sequential(share));
        text = share >= LightFrom ? Qt::black : Qt::white;
    }
    const QString number = index.data(Qt::DisplayRole).toString();
    if (!number.isEmpty() && option.fontMetrics.horizontalAdvance(number) + TextMargin <= cell.width()) {
        painter->setPen(text);
        painter->drawText(cell, Qt::AlignCenter, number);
    } else if (index.data(HeatmapModel::BannedRole).toBool() && share < 0) {
        painter->setPen(text);
        painter->drawLine(cell.topLeft(), cell.bottomRight());
    }
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter->setPen(QPen(option.palette.color(QPalette::Highlight), 1));
        painter->drawLine(option.rect.topLeft(), option.rect.topRight());
        painter->drawLine(cell.bottomLeft(), cell.bottomRight());
    }
    if (option.state.testFlag(QStyle::State_HasFocus)) {
        painter->setPen(QPen(option.palette.color(QPalette::Highlight), 2));
        painter->drawRect(cell.adjusted(1, 1, -1, -1));
    }
}

HeatmapTable::HeatmapTable(QWidget* parent) : QTableView(parent) {
    constexpr int Margin = 4;
    setItemDelegate(new HeatmapDelegate(this));
    setShowGrid(false);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setTabKeyNavigation(false);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + Margin);
    verticalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    verticalHeader()->setHighlightSections(true);
    horizontalHeader()->setMinimumSectionSize(NarrowestColumn);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
}

void HeatmapTable::fitColumns() {
    const int columns = model() == nullptr ? 0 : model()->columnCount();
    if (columns == 0) return;
    const int width = std::clamp(viewport()->width() / columns, NarrowestColumn, WidestColumn);
    horizontalHeader()->setDefaultSectionSize(width);
}

void HeatmapTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    fitColumns();
}

}  // namespace mitos::views
