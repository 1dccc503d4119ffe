// SPDX-License-Identifier: GPL-3.0-or-later
// The preferences dialog.
#pragma once

#include "views/preferences/preferences.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace mitos::views {

class PreferencesDialog : public QDialog {
    Q_OBJECT
public:
    /// `actions` are those whose shortcuts can be changed.
    PreferencesDialog(const Preferences& preferences, const QList<QAction*>& actions, QWidget* parent = nullptr);
    [[nodiscard]] Preferences preferences() const;

private:
    QComboBox* m_appearance;
    QSpinBox* m_pointSize;
    QCheckBox* m_reopen;
    QCheckBox* m_motion;
    QComboBox* m_costModel;
    QComboBox* m_rules;
    QDoubleSpinBox* m_seconds;
};

}  // namespace mitos::views
