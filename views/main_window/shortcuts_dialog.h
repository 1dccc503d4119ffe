// SPDX-License-Identifier: GPL-3.0-or-later
// The cheat sheet: every key that does something, taken from the actions themselves.
#pragma once

#include <QDialog>
#include <QList>

class QAction;

namespace mitos::views {

/// Keys that belong to a view rather than to a menu.
struct ViewKey {
    QString keys;
    QString what;
};

class ShortcutsDialog : public QDialog {
    Q_OBJECT
public:
    ShortcutsDialog(const QList<QAction*>& actions, const QList<ViewKey>& viewKeys, QWidget* parent = nullptr);
};

}  // namespace mitos::views
