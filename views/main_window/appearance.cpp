// SPDX-License-Identifier: GPL-3.0-or-later
// Applies the light and dark appearance.
#include "views/main_window/appearance.h"

#include "views/theme/focus_outline.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QFont>
#include <algorithm>
#include <array>
#include <cmath>

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
        new FocusOutline(application);
    }
    const auto system = application.property(SystemPalette).value<QPalette>();
    const bool dark = appearance == Appearance::Dark || (appearance == Appearance::System && Theme(system).isDark());
    QApplication::setPalette(dark ? Theme::darkPalette() : Theme::lightPalette());
}

void applyPreferences(QApplication& application, const Preferences& preferences) {
    applyAppearance(application, preferences.appearance);
    if (!application.property(SystemFont).isValid()) application.setProperty(SystemFont, QApplication::font());
    const QFont font = interfaceFont(application.property(SystemFont).value<QFont>(), preferences.pointSize);
    if (font == QApplication::font()) return;
    QApplication::setFont(font);
    updateOwnFonts();
}

void scaleTexts(QApplication& application, int steps) {
    static constexpr std::array Percents{80, 90, 100, 110, 125, 150, 175, 200};
    Preferences preferences = Preferences::stored();
    const double usual = interfaceFont(application.property(SystemFont).value<QFont>(), 0).pointSizeF();
    const auto sizeOf = [usual](int percent) { return qRound(usual * percent / 100); };
    const double now = preferences.pointSize > 0 ? preferences.pointSize : usual;
    const auto distance = [&](int percent) { return std::abs(sizeOf(percent) - now); };
    const auto nearest = std::ranges::min_element(Percents, {}, distance) - Percents.begin();
    const auto last = static_cast<std::ptrdiff_t>(Percents.size()) - 1;
    const int percent = Percents[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(nearest + steps, 0, last))];
    preferences.pointSize = steps == 0 || percent == 100 ? 0 : sizeOf(percent);
    preferences.store();
    applyPreferences(application, preferences);
}

}  // namespace mitos::views
