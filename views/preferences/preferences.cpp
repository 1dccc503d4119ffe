// SPDX-License-Identifier: GPL-3.0-or-later
// Reading and writing preferences.
#include "views/preferences/preferences.h"

#include <QAction>
#include <QSettings>

namespace mitos::views {

namespace {

constexpr int SmallestPointSize = 6;
constexpr int LargestPointSize = 32;
constexpr double LongestSeconds = 86'400.0;
constexpr const char* UsualKeys = "mitosUsualKeys";

QString shortcutKey(const QAction& action) { return QStringLiteral("shortcuts/") + action.objectName(); }

void rememberUsual(QAction& action) {
    if (!action.property(UsualKeys).isValid()) {
        action.setProperty(UsualKeys, QVariant::fromValue(action.shortcuts()));
    }
}

}  // namespace

Preferences Preferences::stored() {
    const QSettings settings;
    Preferences read;
    const QString appearance = settings.value(QStringLiteral("appearance")).toString();
    if (appearance == QLatin1String("light")) read.appearance = Appearance::Light;
    if (appearance == QLatin1String("dark")) read.appearance = Appearance::Dark;
    const int size = settings.value(QStringLiteral("preferences/pointSize")).toInt();
    read.pointSize = size == 0 ? 0 : qBound(SmallestPointSize, size, LargestPointSize);
    read.reopenSession = settings.value(QStringLiteral("preferences/reopenSession")).toBool();
    read.reducedMotion = settings.value(QStringLiteral("preferences/reducedMotion")).toBool();
    read.costModel = settings.value(QStringLiteral("preferences/costModel")).toString();
    read.rules = settings.value(QStringLiteral("preferences/rules")).toString();
    read.seconds = qBound(0.0, settings.value(QStringLiteral("preferences/seconds")).toDouble(), LongestSeconds);
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
    settings.setValue(QStringLiteral("preferences/costModel"), costModel);
    settings.setValue(QStringLiteral("preferences/rules"), rules);
    settings.setValue(QStringLiteral("preferences/seconds"), seconds);
}

void applyStoredShortcuts(const QList<QAction*>& actions) {
    const QSettings settings;
    for (QAction* action : actions) {
        rememberUsual(*action);
        const QVariant keys = settings.value(shortcutKey(*action));
        if (keys.isValid()) action->setShortcut(QKeySequence(keys.toString(), QKeySequence::PortableText));
    }
}

void storeShortcut(QAction& action, const QKeySequence* keys) {
    rememberUsual(action);
    QSettings settings;
    if (keys == nullptr) {
        settings.remove(shortcutKey(action));
        action.setShortcuts(action.property(UsualKeys).value<QList<QKeySequence>>());
        return;
    }
    settings.setValue(shortcutKey(action), keys->toString(QKeySequence::PortableText));
    action.setShortcut(*keys);
}

}  // namespace mitos::views
