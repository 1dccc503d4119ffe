// SPDX-License-Identifier: GPL-3.0-or-later
// The preferences dialog.
#pragma once

#include "views/preferences/preferences.h"

#include <QDialog>
#include <QList>
#include <QWidget>

class QAction;
class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QKeySequenceEdit;
class QLabel;
class QPushButton;
class QSpinBox;
class QTabWidget;
class QTreeWidget;

namespace mitos::views {

class JobRunner;
class PythonField;

class ShortcutsPage : public QWidget {
    Q_OBJECT
public:
    explicit ShortcutsPage(QList<QAction*> actions, QWidget* parent = nullptr);
    /// Selects the action of that name, ready for new keys.
    void choose(const QString& action);

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

class PreferencesDialog : public QDialog {
    Q_OBJECT
public:
    /// `actions` are those whose shortcuts can be changed.
    PreferencesDialog(const Preferences& preferences, const QList<QAction*>& actions, JobRunner& jobs,
                      QWidget* parent = nullptr);
    [[nodiscard]] Preferences preferences() const;
    /// Shows the keys of an action.
    void showShortcut(const QString& action);

private:
    Preferences m_before;  ///< with what the dialog does not show
    QTabWidget* m_tabs;
    ShortcutsPage* m_shortcuts;
    QComboBox* m_appearance;
    QSpinBox* m_pointSize;
    QCheckBox* m_reopen;
    QCheckBox* m_motion;
    QComboBox* m_costModel;
    QComboBox* m_rules;
    QDoubleSpinBox* m_seconds;
    PythonField* m_python;
};

}  // namespace mitos::views
