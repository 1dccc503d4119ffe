// SPDX-License-Identifier: GPL-3.0-or-later
// Bar charts and heatmaps as inline SVG, styled by the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mitos::search::report {

struct Bar {
    double value = 0.0;
    double deviation = 0.0;  ///< drawn as a line above and below its end; 0: none
};

struct BarSeries {
    std::string label;
    std::size_t style = 0;                 ///< selects the colour
    std::vector<std::optional<Bar>> bars;  ///< by group
};

/// Bars in groups side by side.
struct BarChart {
    std::string title;
    std::string yTitle;
    double width = 1080.0;
    double height = 320.0;
    std::vector<std::string> groups;
    std::vector<BarSeries> series;
};
/// A <figure>. The axis is logarithmic if all values are positive and differ by more than a factor of a hundred. Empty for a chart without
/// bars.
[[nodiscard]] std::string svgBars(const BarChart& chart);

/// Counts by row and column; the darker a cell, the larger its count. Cells of 0 are empty.
struct Heatmap {
    std::string title;
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::vector<std::vector<std::uint64_t>> counts;  ///< by row and column
};
/// A <figure>; empty without rows or columns.
[[nodiscard]] std::string svgHeatmap(const Heatmap& map);

}  // namespace mitos::search::report
