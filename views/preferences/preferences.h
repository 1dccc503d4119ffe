// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that persist between sessions; kept in QSettings.
#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>

class QAction;

namespace mitos::views {

/// Version of the keys in QSettings; settings of a newer version are not changed.
inline constexpr int SettingsVersion = 1;

enum class Appearance { System, Light, Dark };

struct Preferences {
    static constexpr int LargestPointSize = 32;
    static constexpr double LongestSeconds = 86'400.0;

    Appearance appearance = Appearance::System;
    int pointSize = 0;  ///< of all texts; 0: the system's size
    bool reopenSession = false;
    bool reducedMotion = false;
    bool tourSeen = false;  ///< the guided tour was finished or skipped, and is not offered again
    QString costModel;      ///< for programs opened in the future; empty: the dialect's default
    QString rules;          ///< "ks-simple,ks-extended"; empty: the default
    double seconds = 0.0;   ///< budget of searches; 0: the last one used
    QString python;         ///< an interpreter that has ONNX Runtime; empty: none

    [[nodiscard]] static Preferences stored();
    void store() const;

    friend bool operator==(const Preferences&, const Preferences&) = default;
};

/// Applies the user's shortcuts to the actions, where the user chose any.
void applyStoredShortcuts(const QList<QAction*>& actions);
/// The action's default shortcuts.
[[nodiscard]] QList<QKeySequence> usualShortcuts(const QAction& action);
/// Stores a shortcut for the action; null restores the defaults.
void storeShortcut(QAction& action, const QKeySequence* keys);

}  // namespace mitos::views
