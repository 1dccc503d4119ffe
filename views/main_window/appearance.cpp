// SPDX-License-Identifier: GPL-3.0-or-later
// Applies light and dark.
#include "views/main_window/appearance.h"

#include "views/theme/theme.h"

#include <QApplication>
#include <QFont>
#include <QStyle>
#include <QStyleFactory>

namespace mitos::views {

namespace {
constexpr const char* SystemPalette = "mitosSystemPalette";
constexpr const char* SystemFont = "mitosSystemFont";
}  // namespace

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

void applyPreferences(QApplication& application, const Preferences& preferences) {
    applyAppearance(application, preferences.appearance);
    if (!application.property(SystemFont).isValid()) application.setProperty(SystemFont, QApplication::font());
    auto font = application.property(SystemFont).value<QFont>();
    if (preferences.pointSize > 0) font.setPointSize(preferences.pointSize);
    if (font != QApplication::font()) QApplication::setFont(font);
}

}  // namespace mitos::views
