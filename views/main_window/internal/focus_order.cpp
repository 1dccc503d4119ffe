// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/internal/focus_order.h"

#include <QWidget>

namespace mitos::views {

void orderFocus(QWidget& window, const QList<QWidget*>& regions) {
    QList<QList<QWidget*>> inRegion(regions.size());
    for (QWidget* at = window.nextInFocusChain(); at != &window; at = at->nextInFocusChain()) {
        if (at->window() != &window || at->focusPolicy() == Qt::NoFocus || at->focusProxy() != nullptr) continue;
        for (qsizetype i = 0; i < regions.size(); ++i) {
            if (regions[i] == at || regions[i]->isAncestorOf(at)) inRegion[i] << at;
        }
    }
    QWidget* last = nullptr;
    for (const QList<QWidget*>& widgets : inRegion) {
        for (QWidget* widget : widgets) {
            if (last != nullptr) QWidget::setTabOrder(last, widget);
            last = widget;
        }
    }
}

}  // namespace mitos::views
