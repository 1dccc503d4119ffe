// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which Tab visits the parts of the window.
#pragma once

#include <QList>

class QWidget;

namespace mitos::views {

/// Makes Tab visit the regions of a window in this order; inside a region the order stays as it is.
void orderFocus(QWidget& window, const QList<QWidget*>& regions);

}  // namespace mitos::views
