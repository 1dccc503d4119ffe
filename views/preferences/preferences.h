// SPDX-License-Identifier: GPL-3.0-or-later
// What the user wants to be so every time; kept in QSettings.
#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>

class QAction;

namespace mitos::views {

/// Of the keys in QSettings; settings of a newer version are left alone.
inline constexpr int SettingsVersion = 1;

enum class Appearance { System, Light, Dark };

struct Preferences {
    static constexpr int LargestPointSize = 32;
    static constexpr double LongestSeconds = 86'400.0;

    Appearance appearance = Appearance::System;
    int pointSize = 0;  ///< of all texts; 0: the system's
    bool reopenSession = false;
    bool reducedMotion = false;
    QString costModel;     ///< for programs opened from now on; empty: the dialect's default
    QString rules;         ///< "ks-simple,ks-extended"; empty: as the program comes
    double seconds = 0.0;  ///< budget of searches; 0: the one used last

    [[nodiscard]] static Preferences stored();
    void store() const;

    friend bool operator==(const Preferences&, const Preferences&) = default;
};

/// The user's keys for an action, if they chose any.
void applyStoredShortcuts(const QList<QAction*>& actions);
/// The keys the action came with.
[[nodiscard]] QList<QKeySequence> usualShortcuts(const QAction& action);
/// Null: back to what the action came with.
void storeShortcut(QAction& action, const QKeySequence* keys);

}  // namespace mitos::views
