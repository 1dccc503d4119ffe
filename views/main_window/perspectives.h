// SPDX-License-Identifier: GPL-3.0-or-later
// The perspectives and the views around them, as two lists of values. Menus, tool bar, rail, keys, layouts, help and the command line
// are made from them: a new view is an entry here.
#pragma once

#include "views/main_window/window_view.h"

#include <QList>
#include <QString>
#include <QStringList>
#include <Qt>
#include <functional>

namespace mitos::ir {
struct Dialect;
}
namespace mitos::views {

/// A page of the window about the open program, and what stands around it.
struct Perspective {
    QString name;                                 ///< in sessions, settings and `--screenshot`
    QString text;                                 ///< of its action, with a mnemonic
    QString icon = {};                            ///< of the theme; empty: the one of perspectives without their own
    QString toolTip = {};                         ///< one line: what it shows
    QString help = {};                            ///< a page of the help; empty: that of the first perspective
    std::function<WindowView(MainWindow&)> make;  ///< the page
    QStringList docks = {};  ///< names of the views shown around it; none: it has the whole window, and no layouts
    /// Names of the window's actions that are possible in it, beside those that its views do themselves.
    QStringList actions = {};
    QString mainAction = {};  ///< of these, the one that the tool bar emphasizes; empty: Run
    /// Whether programs of a dialect have what it shows; it is hidden for others. Null: all have.
    std::function<bool(const ir::Dialect&)> suits = {};
    /// Whether there is something to show. Null: always, also without a program.
    std::function<bool(MainWindow&)> isReady = {};
    /// Whether a session that was left in it opens in it again. Null: if `isReady`.
    std::function<bool(MainWindow&)> comesBack = {};
    /// The title of the window where that is not the open program's; empty: it is. Null: it always is.
    std::function<QString(MainWindow&)> title = {};
};

/// In the order of the rail and of the keys Ctrl+1, Ctrl+2, …; the first one is that of a program just opened.
[[nodiscard]] QList<Perspective> perspectives();

/// The name of the window's action that shows it: "perspectiveStep".
[[nodiscard]] QString actionName(const Perspective& perspective);

// The perspectives that the window shows by itself.
[[nodiscard]] QString stepPerspective();
[[nodiscard]] QString saturatePerspective();
[[nodiscard]] QString comparePerspective();
[[nodiscard]] QString schedulePerspective();

/// A view that stands beside a perspective's page, and that the user moves and hides.
struct DockedView {
    QString name;       ///< in layouts
    QString title;      ///< of its tab
    QString help = {};  ///< a page of the help; empty: that of the perspective
    Qt::DockWidgetArea area = Qt::BottomDockWidgetArea;
    int width = 0;              ///< beside the page: the usual one, in pixels
    double largestShare = 0.0;  ///< of the window's width, up to which larger texts make it wider; 0: they do not
    std::function<WindowView(MainWindow&)> make;
};

/// In the order of the tabs and of the keys Alt+1, Alt+2, …
[[nodiscard]] QList<DockedView> dockedViews();

}  // namespace mitos::views
