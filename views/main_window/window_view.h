// SPDX-License-Identifier: GPL-3.0-or-later
// A view as the window sees it: a widget, and what the window's actions do in it.
#pragma once

#include <QMap>
#include <QString>
#include <functional>

class QWidget;

namespace mitos::views {

class MainWindow;
struct Preferences;

/// The effect of an action of the window in a view.
struct ViewAction {
    std::function<void()> run;
    std::function<bool()> isPossible = {};  ///< null: if a program is open
};

struct WindowView {
    QWidget* widget = nullptr;
    std::function<void()> focus = {};        ///< moves the keyboard focus to where one begins; null: stays
    QMap<QString, ViewAction> actions = {};  ///< by the names of the window's actions
    std::function<bool()> isSettled = {};    ///< whether it has nothing left to do, beside jobs; null: always
    std::function<void(const Preferences&)> follow = {};  ///< called at the start and after each change; null: has none
};

}  // namespace mitos::views
