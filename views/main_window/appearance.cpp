// SPDX-License-Identifier: GPL-3.0-or-later
// Applies light and dark.
#include "views/main_window/appearance.h"

#include "views/theme/theme.h"

#include <QApplication>
#include <QSettings>
#include <QStyle>
#include <QStyleFactory>

namespace mitos::views {

namespace {
QString key() { return QStringLiteral("appearance"); }
constexpr const char* SystemPalette = "mitosSystemPalette";
}  // namespace

Appearance storedAppearance() {
    const QString name = QSettings().value(key()).toString();
    if (name == QLatin1String("light")) return Appearance::Light;
    return name == QLatin1String("dark") ? Appearance::Dark : Appearance::System;
}

void storeAppearance(Appearance appearance) {
    const QString name = appearance == Appearance::Light  ? QStringLiteral("light")
                         : appearance == Appearance::Dark ? QStringLiteral("dark")
                                                          : QStringLiteral("system");
    QSettings().setValue(key(), name);
}

void applyAppearance(QApplication& application, Appearance appearance) {
    // The system's own palette is gone once another is set: remember it.
    if (!application.property(SystemPalette).isValid()) {
        application.setProperty(SystemPalette, QApplication::palette());
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    }
    const auto system = application.property(SystemPalette).value<QPalette>();
    const bool dark = appearance == Appearance::Dark || (appearance == Appearance::System && Theme(system).isDark());
    QApplication::setPalette(dark ? Theme::darkPalette() : Theme::lightPalette());
}

}  // namespace mitos::views
