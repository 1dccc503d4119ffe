// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/badge.h"

#include <QFontMetrics>
#include <QPainter>

namespace mitos::views {

QRect drawBadge(QPainter& painter, QRect room, const QString& text, const QColor& colour, const QColor& frame) {
    const int width = painter.fontMetrics().horizontalAdvance(text) + 2 * BadgeGap;
    if (width > room.width()) return room;
    const QRectF box(room.left() + 0.5, room.center().y() - painter.fontMetrics().height() / 2.0 - 0.5, width,
                     painter.fontMetrics().height() + 1);
    painter.setPen(frame);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2);
    painter.setPen(colour);
    painter.drawText(box, Qt::AlignCenter, text);
    return room.adjusted(width + BadgeGap, 0, 0, 0);
}

}  // namespace mitos::views
