// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/elided_label.h"

#include "views/common/format.h"

#include <QHelpEvent>
#include <QStyle>
#include <QStylePainter>
#include <QToolTip>

namespace mitos::views {

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

QString ElidedLabel::shownText() const { return elided(text(), fontMetrics(), contentsRect().width()); }

bool ElidedLabel::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || shownText() == text()) return QLabel::event(event);
    const QString more = toolTip();
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), more.isEmpty() ? text() : text() + u'\n' + more,
                       this);
    return true;
}

void ElidedLabel::paintEvent(QPaintEvent* event) {
    if (shownText() == text()) {
        QLabel::paintEvent(event);
        return;
    }
    QStylePainter painter(this);
    painter.drawItemText(contentsRect(), static_cast<int>(alignment()), palette(), isEnabled(), shownText(),
                         foregroundRole());
}

}  // namespace mitos::views
