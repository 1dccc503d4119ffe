// SPDX-License-Identifier: GPL-3.0-or-later
// Colours, fonts and icons of all views, derived from the palette; no style sheets.
#pragma once

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QPalette>
#include <QString>
#include <functional>

namespace mitos::views {

/// Colours for one palette. A value type: construct a new one when the palette changes (QEvent::PaletteChange).
class Theme {
public:
    explicit Theme(const QPalette& palette);

    [[nodiscard]] bool isDark() const { return m_dark; }
    /// Categorical colour from the Okabe–Ito set, made readable on the background; the index wraps around.
    [[nodiscard]] QColor category(int index) const;
    static constexpr int Categories = 7;  ///< number of distinct colours
    /// Pale (in dark: deep) fills of boxes by family; the index wraps around. The last one is hardly tinted.
    [[nodiscard]] QColor fill(int index) const;
    static constexpr int Fills = 9;
    [[nodiscard]] QColor added() const;    ///< background of what a diff adds
    [[nodiscard]] QColor removed() const;  ///< background of what a diff removes
    [[nodiscard]] QColor moved() const;
    [[nodiscard]] QColor better() const;  ///< text of a cost that falls (always with a sign, never colour alone)
    [[nodiscard]] QColor worse() const;
    [[nodiscard]] QColor shared() const;    ///< background of the other occurrences of the selected subterm
    [[nodiscard]] QColor selected() const;  ///< background of the selected subterm
    [[nodiscard]] QColor costBar() const;
    [[nodiscard]] QColor coolBar() const;  ///< of a small share
    [[nodiscard]] QColor line() const;     ///< hairlines between parts of the window
    [[nodiscard]] QColor border() const;   ///< of fields and buttons
    [[nodiscard]] QColor handle() const;   ///< of scroll bars
    [[nodiscard]] QColor hovered() const;  ///< background of what is under the pointer
    [[nodiscard]] QColor pressed() const;
    [[nodiscard]] QColor accent() const;  ///< the main button, focus, the tab in front
    [[nodiscard]] QColor best() const;    ///< the cheapest state; always with a star
    [[nodiscard]] QColor passed() const;  ///< text of a check that passed; always with a tick
    /// Colour of a scale from 0 to 1 with steadily increasing lightness (viridis); the same in light and dark.
    [[nodiscard]] static QColor sequential(double share);
    /// Background of what is hot, on a scale from 0 (the usual background) to 1; every text stays readable on it.
    [[nodiscard]] QColor heat(double share) const;
    [[nodiscard]] QColor faintText() const;
    [[nodiscard]] QColor faintEdge() const;  ///< of a graph, beside what is emphasized
    [[nodiscard]] QColor keyword() const;
    [[nodiscard]] QColor literal() const;
    [[nodiscard]] QColor plotBackground() const;
    [[nodiscard]] QColor plotText() const;
    [[nodiscard]] QColor plotGrid() const;

    /// A bundled vector icon drawn in the palette's text colour: "undo", "redo", "run", "stop", "open", "export", …
    [[nodiscard]] QIcon icon(const QString& name) const;

    /// The application's light and dark palettes (Fusion).
    [[nodiscard]] static QPalette lightPalette();
    [[nodiscard]] static QPalette darkPalette();

private:
    QPalette m_palette;
    bool m_dark = false;
};

/// The font of programs, of the size of the interface plus `steps` points: JetBrains Mono, or else the system's fixed font.
[[nodiscard]] QFont programFont(int steps = 0);
/// The font of the interface: Inter, or else the system's, in the given size in points; 0: the usual one.
[[nodiscard]] QFont interfaceFont(const QFont& system, int pointSize);
/// The size for what is said beside the main text: details, counts, badges.
[[nodiscard]] QFont smallFont(QFont font);

/// Gives a widget a font of its own that follows the size of texts: `make` is called now and by updateOwnFonts().
void setOwnFont(QWidget* widget, std::function<QFont()> make);
/// Makes the fonts of all such widgets again, after the application's font has changed.
void updateOwnFonts();
/// Calls `update` now, and whenever the widget's font changes.
void followFont(QWidget* widget, std::function<void()> update);
/// Calls `update` now, and whenever the widget's palette changes.
void followPalette(QWidget* widget, std::function<void()> update);

}  // namespace mitos::views
