// SPDX-License-Identifier: GPL-3.0-or-later
// Applies the light and dark appearance.
#include "views/main_window/appearance.h"

#include "views/theme/style.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QFont>

namespace mitos::views {

namespace {
constexpr const char* SystemPalette = "mitosSystemPalette";
constexpr const char* SystemFont = "mitosSystemFont";
}  // namespace

void applyAppearance(QApplication& application, Appearance appearance) {
    // The system's own palette is lost once another one is set, so it is stored first.
    if (!application.property(SystemPalette).isValid()) {
        application.setProperty(SystemPalette, QApplication::palette());
        QApplication::setStyle(new Style);  // the application owns it
    }
    const auto system = application.property(SystemPalette).value<QPalette>();
    const bool dark = appearance == Appearance::Dark || (appearance == Appearance::System && Theme(system).isDark());
    QApplication::setPalette(dark ? Theme::darkPalette() : Theme::lightPalette());
}

void applyPreferences(QApplication& application, const Preferences& preferences) {
    applyAppearance(application, preferences.appearance);
    if (!application.property(SystemFont).isValid()) application.setProperty(SystemFont, QApplication::font());
    const QFont font = interfaceFont(application.property(SystemFont).value<QFont>(), preferences.pointSize);
    if (font != QApplication::font()) QApplication::setFont(font);
}

}  // namespace mitos::views
