// SPDX-License-Identifier: GPL-3.0-or-later
// Palettes, the colours derived from them, and icons tinted with the palette's text colour.
#include "views/theme/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFile>
#include <QFontDatabase>
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
constexpr double UsualPointSize = 10.0;
constexpr double SmallestPointSize = 6.0;

/// Calls a function whenever a widget gets events of one type.
class EventFollower : public QObject {
public:
    EventFollower(QWidget* widget, QEvent::Type type, std::function<void()> update)
        : QObject(widget),
          m_type(type),
          m_update(std::move(update)) {
        widget->installEventFilter(this);
    }

    bool eventFilter(QObject* /*widget*/, QEvent* event) override {
        if (event->type() == m_type) m_update();
        return false;
    }

private:
    QEvent::Type m_type;
    std::function<void()> m_update;
};

/// A property of widgets with a font of their own.
constexpr const char* OwnFont = "mitosOwnFont";
struct FontMaker {
    std::function<QFont()> make;
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

QColor Theme::fill(int index) const {
    constexpr std::array<QRgb, Fills> Pale = {0xffd7e9f1, 0xffdcdff5, 0xfff1f0ec, 0xffdff0dc, 0xfff6ecd0,
                                              0xffeadcf0, 0xfff7dcd8, 0xffe3ece9, 0xfffbfaf8};
    constexpr std::array<QRgb, Fills> Deep = {0xff1e3a4a, 0xff2a2f55, 0xff2c3036, 0xff263f2b, 0xff453a1c,
                                              0xff3a2a45, 0xff4a2a2c, 0xff263a38, 0xff1f2328};
    const auto at = static_cast<std::size_t>(((index % Fills) + Fills) % Fills);
    return QColor::fromRgba(m_dark ? Deep.at(at) : Pale.at(at));
}

// Blue and orange instead of green and red, because they are distinguishable with every common colour vision.
QColor Theme::added() const { return pick(m_dark, 0xff1b3f35, 0xffdff0e6); }
QColor Theme::removed() const { return pick(m_dark, 0xff4a2c22, 0xfff7e3da); }
QColor Theme::moved() const { return pick(m_dark, 0xff443a5c, 0xffe6dff5); }
QColor Theme::better() const { return pick(m_dark, 0xff5fb0ea, 0xff0b66a8); }
QColor Theme::worse() const { return pick(m_dark, 0xfff0a060, 0xffb2500f); }
QColor Theme::shared() const { return pick(m_dark, 0xff3f4127, 0xfff7f0c4); }
QColor Theme::selected() const { return pick(m_dark, 0xff1f3a45, 0xffe2eff5); }
QColor Theme::costBar() const { return pick(m_dark, 0xffc9a050, 0xffe3b35a); }
QColor Theme::coolBar() const { return pick(m_dark, 0xff3a5560, 0xffd5e4ea); }
QColor Theme::line() const { return pick(m_dark, 0xff2d333a, 0xffe4e2dc); }
QColor Theme::border() const { return pick(m_dark, 0xff3c444d, 0xffd3d0c8); }
QColor Theme::handle() const { return pick(m_dark, 0xff454e58, 0xffcfccc4); }
QColor Theme::hovered() const { return pick(m_dark, 0xff272d34, 0xfff0efeb); }
QColor Theme::pressed() const { return pick(m_dark, 0xff2f363e, 0xffe6e4de); }
QColor Theme::accent() const { return pick(m_dark, 0xff4cb3d4, 0xff0f5c77); }
QColor Theme::best() const { return pick(m_dark, 0xffe3b04b, 0xffc98a12); }
QColor Theme::passed() const { return pick(m_dark, 0xff6fc08f, 0xff1f7a45); }
QColor Theme::sequential(double share) {
    // Nine evenly spaced colours of viridis; colours between them are interpolated.
    constexpr std::array<QRgb, 9> Viridis = {0xff440154, 0xff472d7b, 0xff3b528b, 0xff2c728e, 0xff21918c,
                                             0xff28ae80, 0xff5ec962, 0xffaddc30, 0xfffde725};
    const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(Viridis.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(place), Viridis.size() - 2);
    return mixed(QColor::fromRgba(Viridis[low]), QColor::fromRgba(Viridis[low + 1]), place - static_cast<double>(low));
}
QColor Theme::heat(double share) const {
    constexpr double Least = 0.25;  // so that a little is seen at all
    const QColor base = m_palette.color(QPalette::Base);
    if (!(share > 0.0)) return base;
    return mixed(base, pick(m_dark, 0xff4a3812, 0xfffbe0a0), Least + (1.0 - Least) * std::min(1.0, share));
}
QColor Theme::faintEdge() const { return mixed(m_palette.color(QPalette::Base), faintText(), 0.35); }
QColor Theme::faintText() const { return pick(m_dark, 0xff9aa4ae, 0xff5d666f); }
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
    return fusion(QColor(0xf7f6f3), QColor(0xffffff), QColor(0x1d2329), QColor(0xf3f2ee), QColor(0xe2eff5),
                  QColor(0x1d2329), QColor(0x0f5c77));
}

QPalette Theme::darkPalette() {
    return fusion(QColor(0x16191d), QColor(0x1d2126), QColor(0xe6e8ea), QColor(0x262b31), QColor(0x1f3a45),
                  QColor(0xe6e8ea), QColor(0x4cb3d4));
}

QFont smallFont(QFont font) {
    constexpr double Share = 0.88;
    font.setPointSizeF(font.pointSizeF() * Share);
    return font;
}

QFont programFont(int steps) {
    // Asked for once: rows of lists call this whenever they are drawn.
    static const QFont found = [] {
        const QString family = QStringLiteral("JetBrains Mono");
        QFont made = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        if (QFontDatabase::hasFamily(family)) {
            made = QFont(family);
            made.setStyleStrategy(QFont::PreferAntialias);
        }
        made.setStyleHint(QFont::Monospace);
        return made;
    }();
    QFont font = found;
    const double usual = QApplication::font().pointSizeF() > 0 ? QApplication::font().pointSizeF() : UsualPointSize;
    font.setPointSizeF(std::max(SmallestPointSize, usual + steps));
    return font;
}

QFont interfaceFont(const QFont& system, int pointSize) {
    static const QString family = QStringLiteral("Inter");
    QFont font = QFontDatabase::hasFamily(family) ? QFont(family) : system;
    font.setPointSizeF(pointSize > 0 ? pointSize : std::max(UsualPointSize, system.pointSizeF()));
    return font;
}

void setOwnFont(QWidget* widget, std::function<QFont()> make) {
    widget->setFont(make());
    widget->setProperty(OwnFont, QVariant::fromValue(FontMaker{std::move(make)}));
}

void updateOwnFonts() {
    for (QWidget* widget : QApplication::allWidgets()) {
        const QVariant maker = widget->property(OwnFont);
        if (maker.isValid()) widget->setFont(maker.value<FontMaker>().make());
    }
}

void followFont(QWidget* widget, std::function<void()> update) {
    update();
    new EventFollower(widget, QEvent::FontChange, std::move(update));
}

void followPalette(QWidget* widget, std::function<void()> update) {
    update();
    new EventFollower(widget, QEvent::PaletteChange, std::move(update));
}

}  // namespace mitos::views
