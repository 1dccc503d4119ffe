// SPDX-License-Identifier: GPL-3.0-or-later
// All keys of a window, from its menus and from the views that have keys of their own.
#pragma once

#include "views/help/keys_page.h"

#include <QList>

class QAction;
class QMainWindow;

namespace mitos::views {

/// The actions, by menu, whether they have keys or not; then the keys of the views, from their actions and `ViewKeys`.
[[nodiscard]] QList<KeyEntry> allKeys(const QMainWindow& window, const QList<QAction*>& actions);

}  // namespace mitos::views
