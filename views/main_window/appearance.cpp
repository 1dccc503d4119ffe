// SPDX-License-Identifier: GPL-3.0-or-later
// Applies the light and dark appearance.
#include "views/main_window/appearance.h"

#include "views/theme/theme.h"

#include <QApplication>
#include <QFont>
#include <QPainter>
#include <QProxyStyle>
#include <QStyle>
#include <QStyleFactory>
#include <QStyleOption>

namespace mitos::views {

namespace {
/// Fusion draws the frame of a check box darker than the window, which is invisible in dark mode.
class ReadableFusion final : public QProxyStyle {
public:
    ReadableFusion() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override {
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        const Theme theme(option->palette);
        if (element != PE_IndicatorCheckBox || !theme.isDark()) return;
        painter->save();
        painter->setPen(theme.faintText());
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        painter->restore();
    }
};

constexpr const char* SystemPalette = "mitosSystemPalette";
constexpr const char* SystemFont = "mitosSystemFont";
}  // namespace

void applyAppearance(QApplication& application, Appearance appearance) {
    // The system's own palette is lost once another one is set, so it is stored first.
    if (!application.property(SystemPalette).isValid()) {
        application.setProperty(SystemPalette, QApplication::palette());
        QApplication::setStyle(new ReadableFusion);  // the application owns it
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
