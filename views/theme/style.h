// SPDX-License-Identifier: GPL-3.0-or-later
// The look of all widgets: flat, with hairlines instead of frames. Fusion draws what is not drawn here.
#pragma once

#include <QProxyStyle>

namespace mitos::views {

class Style final : public QProxyStyle {
public:
    Style();

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    [[nodiscard]] QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                         const QWidget* widget) const override;
    [[nodiscard]] int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    [[nodiscard]] int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                                QStyleHintReturn* data) const override;
};

/// Marks the one button of a window that starts what the window is for: it is filled with the accent. The style reads it from a
/// property, so that the button keeps its class.
void setMainButton(QWidget* button);

}  // namespace mitos::views
