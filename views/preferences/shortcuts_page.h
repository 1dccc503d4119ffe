// SPDX-License-Identifier: GPL-3.0-or-later
// The page for choosing shortcuts of actions; two actions never get the same one.
#pragma once

#include <QList>
#include <QWidget>

class QAction;
class QKeySequenceEdit;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace mitos::views {

class ShortcutsPage : public QWidget {
    Q_OBJECT
public:
    explicit ShortcutsPage(QList<QAction*> actions, QWidget* parent = nullptr);

private:
    void fill();
    void showRow();
    void assign();
    void reset();
    [[nodiscard]] QAction* current() const;
    /// Whether another action has that shortcut; if so, shows its name in the status line.
    [[nodiscard]] bool isTaken(const QKeySequence& keys);

    QList<QAction*> m_actions;
    QTreeWidget* m_table;
    QKeySequenceEdit* m_keys;
    QPushButton* m_assign;
    QPushButton* m_reset;
    QLabel* m_status;
};

}  // namespace mitos::views
