// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/heat_delegate.h"

#include "views/theme/theme.h"

#include <QPainter>

namespace mitos::views {

namespace {

constexpr int NumberMargin = 4;
constexpr double LightFrom = 0.55;  // from this share on, the text is dark

}  // namespace

void HeatDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme theme(option.palette);
    const double share = index.data(ShareRole).toDouble();
    const QRect cell = option.rect.adjusted(0, 0, -1, -1);
    QColor text = theme.faintText();
    if (share >= 0) {
        painter->fillRect(cell, Theme::sequential(share));
        text = share >= LightFrom ? Qt::black : Qt::white;
    }
    const QString number = index.data(Qt::DisplayRole).toString();
    if (!number.isEmpty() && option.fontMetrics.horizontalAdvance(number) + NumberMargin <= cell.width()) {
        painter->setPen(text);
        painter->drawText(cell, Qt::AlignCenter, number);
    } else if (index.data(CrossedRole).toBool() && share < 0) {
        painter->setPen(text);
        painter->drawLine(cell.topLeft(), cell.bottomRight());
    }
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter->setPen(QPen(Theme(option.palette).accent(), 1));
        painter->drawLine(option.rect.topLeft(), option.rect.topRight());
        painter->drawLine(cell.bottomLeft(), cell.bottomRight());
    }
    if (option.state.testFlag(QStyle::State_HasFocus)) {
        painter->setPen(QPen(Theme(option.palette).accent(), 2));
        painter->drawRect(cell.adjusted(1, 1, -1, -1));
    }
}

}  // namespace mitos::views
