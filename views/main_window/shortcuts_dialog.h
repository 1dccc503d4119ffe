// SPDX-License-Identifier: GPL-3.0-or-later
// The cheat sheet of all keyboard shortcuts, generated from the actions.
#pragma once

#include <QDialog>
#include <QList>

class QAction;

namespace mitos::views {

/// A key handled by a view instead of a menu action.
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
