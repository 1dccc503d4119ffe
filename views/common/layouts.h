// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts written as the list of their contents.
#pragma once

#include <QBoxLayout>
#include <QMargins>
#include <initializer_list>
#include <optional>

namespace mitos::views {

/// A widget or a layout inside a layout, with its stretch factor; or empty space.
struct LayoutItem {
    LayoutItem(QWidget* item, int factor = 0, Qt::Alignment aligned = {})
        : widget(item),
          stretch(factor),
          alignment(aligned) {}
    LayoutItem(QLayout* item, int factor = 0) : layout(item), stretch(factor) {}
    LayoutItem(int pixels, int factor) : space(pixels), stretch(factor) {}

    QWidget* widget = nullptr;
    QLayout* layout = nullptr;
    int space = 0;
    int stretch = 0;
    Qt::Alignment alignment = {};
};
/// Empty space that takes a share of what is left, and empty space of a fixed size.
[[nodiscard]] inline LayoutItem stretch(int factor = 1) { return {0, factor}; }
[[nodiscard]] inline LayoutItem gap(int pixels) { return {pixels, 0}; }

/// Pixels around and between the items; the style's if they are not set.
struct LayoutSpace {
    std::optional<QMargins> margins = {};
    std::optional<int> spacing = {};
};
inline constexpr QMargins NoMargins{0, 0, 0, 0};
inline constexpr QMargins NarrowMargins{4, 4, 4, 4};  ///< those of a view in a dock

/// A layout of items one below the other, or one beside the other.
[[nodiscard]] QVBoxLayout* columnOf(std::initializer_list<LayoutItem> items, const LayoutSpace& space = {});
[[nodiscard]] QHBoxLayout* rowOf(std::initializer_list<LayoutItem> items, const LayoutSpace& space = {});
/// The same as the layout of a widget, which becomes the items' parent.
void fillColumn(QWidget* widget, std::initializer_list<LayoutItem> items, const LayoutSpace& space = {});
void fillRow(QWidget* widget, std::initializer_list<LayoutItem> items, const LayoutSpace& space = {});

}  // namespace mitos::views
