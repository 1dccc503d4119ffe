// SPDX-License-Identifier: GPL-3.0-or-later
// Palettes, the colours derived from them, and icons tinted with the palette's text colour.
#include "views/theme/theme.h"

#include <QEvent>
#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>
#include <QWidget>
#include <algorithm>
#include <array>
#include <utility>

static void initIconResources() {
    Q_INIT_RESOURCE(icons);  // must not be in a namespace; the resources are in a static library
}

namespace mitos::views {

namespace {

/// Okabe and Ito's set without black, ordered so that neighbours differ in lightness too.
constexpr std::array<QRgb, Theme::Categories> OnLight = {0xff0072b2, 0xffb75301, 0xff00805f, 0xffa8497f,
                                                         0xff9c6b00, 0xff2f83b5, 0xff8a7a00};
constexpr std::array<QRgb, Theme::Categories> OnDark = {0xff56b4e9, 0xffe69f00, 0xff2bc79a, 0xffdf96c0,
                                                        0xfff0e442, 0xffee8a4a, 0xff8fb8ff};

constexpr std::array<int, 8> IconSizes = {16, 20, 22, 24, 32, 44, 48, 64};
constexpr double DarkBelow = 0.5;

class PaletteFollower : public QObject {
public:
    PaletteFollower(QWidget* widget, std::function<void()> update) : QObject(widget), m_update(std::move(update)) {
        widget->installEventFilter(this);
    }

    bool eventFilter(QObject* /*widget*/, QEvent* event) override {
        if (event->type() == QEvent::PaletteChange) m_update();
        return false;
    }

private:
    std::function<void()> m_update;
};

QColor pick(bool dark, QRgb onDark, QRgb onLight) { return QColor::fromRgba(dark ? onDark : onLight); }

QColor mixed(const QColor& a, const QColor& b, double shareOfB) {
    const auto mix = [&](int x, int y) { return static_cast<int>(x + (y - x) * shareOfB); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

QPixmap drawn(const QByteArray& svg, const QColor& colour, int size) {
    QByteArray tinted = svg;
    tinted.replace("currentColor", colour.name().toLatin1());
    QSvgRenderer renderer(tinted);
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    renderer.render(&painter);
    return pixmap;
}

QPalette fusion(const QColor& window, const QColor& base, const QColor& text, const QColor& button,
                const QColor& highlight, const QColor& highlighted, const QColor& link) {
    QPalette palette;
    palette.setColor(QPalette::Window, window);
    palette.setColor(QPalette::WindowText, text);
    palette.setColor(QPalette::Base, base);
    palette.setColor(QPalette::AlternateBase, mixed(base, window, 0.5));
    palette.setColor(QPalette::ToolTipBase, button);
    palette.setColor(QPalette::ToolTipText, text);
    palette.setColor(QPalette::PlaceholderText, mixed(text, base, 0.4));
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::Button, button);
    palette.setColor(QPalette::ButtonText, text);
    palette.setColor(QPalette::BrightText, Qt::white);
    palette.setColor(QPalette::Highlight, highlight);
    palette.setColor(QPalette::HighlightedText, highlighted);
    palette.setColor(QPalette::Link, link);
    palette.setColor(QPalette::LinkVisited, link);
    palette.setColor(QPalette::Light, mixed(button, Qt::white, 0.3));
    palette.setColor(QPalette::Midlight, mixed(button, Qt::white, 0.15));
    palette.setColor(QPalette::Mid, mixed(button, Qt::black, 0.25));
    palette.setColor(QPalette::Dark, mixed(button, Qt::black, 0.4));
    palette.setColor(QPalette::Shadow, mixed(button, Qt::black, 0.7));
    const QColor disabled = mixed(text, window, 0.55);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, disabled);
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, mixed(window, text, 0.25));
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, disabled);
    return palette;
}

}  // namespace

Theme::Theme(const QPalette& palette)
    : m_palette(palette),
      m_dark(palette.color(QPalette::Window).lightnessF() < DarkBelow) {}

QColor Theme::category(int index) const {
    const auto& colours = m_dark ? OnDark : OnLight;
    const auto count = static_cast<int>(colours.size());
    return QColor::fromRgba(colours[static_cast<std::size_t>(((index % count) + count) % count)]);
}

// Blue and orange instead of green and red, because they are distinguishable with every common colour vision.
QColor Theme::added() const { return pick(m_dark, 0xff1d4460, 0xffcfe6f7); }
QColor Theme::removed() const { return pick(m_dark, 0xff5c3616, 0xfffbdcc3); }
QColor Theme::moved() const { return pick(m_dark, 0xff443a5c, 0xffe6dff5); }
QColor Theme::better() const { return pick(m_dark, 0xff62c3f5, 0xff005f96); }
QColor Theme::worse() const { return pick(m_dark, 0xfff5a15c, 0xffa34600); }
QColor Theme::shared() const { return pick(m_dark, 0xff3f4127, 0xfff7f0c4); }
QColor Theme::selected() const { return pick(m_dark, 0xff2e4a63, 0xffd8e8f8); }
QColor Theme::costBar() const { return pick(m_dark, 0xffb3792c, 0xfff0b45a); }
QColor Theme::sequential(double share) {
    // Nine evenly spaced colours of viridis; colours between them are interpolated.
    constexpr std::array<QRgb, 9> Viridis = {0xff440154, 0xff472d7b, 0xff3b528b, 0xff2c728e, 0xff21918c,
                                             0xff28ae80, 0xff5ec962, 0xffaddc30, 0xfffde725};
    const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(Viridis.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(place), Viridis.size() - 2);
    return mixed(QColor::fromRgba(Viridis[low]), QColor::fromRgba(Viridis[low + 1]), place - static_cast<double>(low));
}
QColor Theme::faintText() const {
    return mixed(m_palette.color(QPalette::Text), m_palette.color(QPalette::Base), m_dark ? 0.38 : 0.42);
}
QColor Theme::keyword() const { return pick(m_dark, 0xff8fc1f0, 0xff1d5a9a); }
QColor Theme::literal() const { return pick(m_dark, 0xffe8b26b, 0xff945200); }
QColor Theme::plotBackground() const { return m_palette.color(QPalette::Base); }
QColor Theme::plotText() const { return m_palette.color(QPalette::Text); }
QColor Theme::plotGrid() const {
    return mixed(m_palette.color(QPalette::Base), m_palette.color(QPalette::Text), m_dark ? 0.2 : 0.14);
}

QIcon Theme::icon(const QString& name) const {
    initIconResources();
    QFile file(QStringLiteral(":/mitos/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QByteArray svg = file.readAll();
    QIcon icon;
    for (const int size : IconSizes) {
        icon.addPixmap(drawn(svg, m_palette.color(QPalette::Active, QPalette::ButtonText), size), QIcon::Normal);
        icon.addPixmap(drawn(svg, m_palette.color(QPalette::Disabled, QPalette::ButtonText), size), QIcon::Disabled);
        icon.addPixmap(drawn(svg, m_palette.color(QPalette::HighlightedText), size), QIcon::Selected);
    }
    return icon;
}

QPalette Theme::lightPalette() {
    return fusion(QColor(0xf3f3f1), QColor(0xffffff), QColor(0x1d1f21), QColor(0xebebe8), QColor(0x2a6db0),
                  QColor(0xffffff), QColor(0x005f96));
}

QPalette Theme::darkPalette() {
    return fusion(QColor(0x26282b), QColor(0x1c1e20), QColor(0xe4e4e1), QColor(0x34373b), QColor(0x3f7fbf),
                  QColor(0xffffff), QColor(0x7cc0f2));
}

void followPalette(QWidget* widget, std::function<void()> update) {
    update();
    new PaletteFollower(widget, std::move(update));
}

}  // namespace mitos::views
