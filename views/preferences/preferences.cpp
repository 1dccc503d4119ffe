// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes preferences.
#include "views/preferences/preferences.h"

#include <QAction>
#include <QSettings>
#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::views {

namespace {

constexpr int SmallestPointSize = 6;
constexpr const char* UsualKeys = "mitosUsualKeys";

QString shortcutKey(const QAction& action) { return QStringLiteral("shortcuts/") + action.objectName(); }

void rememberUsual(QAction& action) {
    if (!action.property(UsualKeys).isValid()) action.setProperty(UsualKeys, QVariant::fromValue(action.shortcuts()));
}

}  // namespace

Preferences Preferences::stored() {
    const QSettings settings;
    Preferences read;
    const QString appearance = settings.value(QStringLiteral("appearance")).toString();
    if (appearance == QLatin1String("light")) read.appearance = Appearance::Light;
    if (appearance == QLatin1String("dark")) read.appearance = Appearance::Dark;
    const int size = settings.value(QStringLiteral("preferences/pointSize")).toInt();
    read.pointSize = size == 0 ? 0 : qBound(SmallestPointSize, size, Preferences::LargestPointSize);
    read.reopenSession = settings.value(QStringLiteral("preferences/reopenSession")).toBool();
    read.reducedMotion = settings.value(QStringLiteral("preferences/reducedMotion")).toBool();
    read.tourSeen = settings.value(QStringLiteral("preferences/tourSeen")).toBool();
    read.costModel = settings.value(QStringLiteral("preferences/costModel")).toString();
    read.rules = settings.value(QStringLiteral("preferences/rules")).toString();
    const double seconds = settings.value(QStringLiteral("preferences/seconds")).toDouble();
    read.seconds = seconds > 0 ? std::min(seconds, Preferences::LongestSeconds) : 0.0;
    read.python = settings.value(QStringLiteral("preferences/python")).toString();
    return read;
}

void Preferences::store() const {
    QSettings settings;
    settings.setValue(QStringLiteral("version"), SettingsVersion);
    settings.setValue(QStringLiteral("appearance"), appearance == Appearance::Light  ? QStringLiteral("light")
                                                    : appearance == Appearance::Dark ? QStringLiteral("dark")
                                                                                     : QStringLiteral("system"));
    settings.setValue(QStringLiteral("preferences/pointSize"), pointSize);
    settings.setValue(QStringLiteral("preferences/reopenSession"), reopenSession);
    settings.setValue(QStringLiteral("preferences/reducedMotion"), reducedMotion);
    settings.setValue(QStringLiteral("preferences/tourSeen"), tourSeen);
    settings.setValue(QStringLiteral("preferences/costModel"), costModel);
    settings.setValue(QStringLiteral("preferences/rules"), rules);
    settings.setValue(QStringLiteral("preferences/seconds"), seconds);
    settings.setValue(QStringLiteral("preferences/python"), python);
}

void applyStoredShortcuts(const QList<QAction*>& actions) {
    const QSettings settings;
    std::vector<std::pair<QAction*, QKeySequence>> chosen;
    for (QAction* action : actions) {
        rememberUsual(*action);
        const QVariant stored = settings.value(shortcutKey(*action));
        if (!stored.isValid()) continue;
        const QKeySequence keys(stored.toString(), QKeySequence::PortableText);
        const bool none = stored.toString().isEmpty();
        const bool damaged = !none && (keys.isEmpty() || keys[0].key() == Qt::Key_unknown);
        if (!damaged) chosen.emplace_back(action, keys);
    }
    // The user's choice has priority: other actions with the same default keys (of a newer version, say) lose them.
    for (const auto& [owner, keys] : chosen) {
        for (QAction* other : actions) {
            QList<QKeySequence> left = other->shortcuts();
            if (other != owner && !keys.isEmpty() && left.removeAll(keys) > 0) other->setShortcuts(left);
        }
        owner->setShortcut(keys);
    }
}

QList<QKeySequence> usualShortcuts(const QAction& action) {
    const QVariant usual = action.property(UsualKeys);
    return usual.isValid() ? usual.value<QList<QKeySequence>>() : action.shortcuts();
}

void storeShortcut(QAction& action, const QKeySequence* keys) {
    rememberUsual(action);
    QSettings settings;
    if (keys == nullptr) {
        settings.remove(shortcutKey(action));
        action.setShortcuts(usualShortcuts(action));
        return;
    }
    settings.setValue(shortcutKey(action), keys->toString(QKeySequence::PortableText));
    action.setShortcut(*keys);
}

}  // namespace mitos::views
