// SPDX-License-Identifier: GPL-3.0-or-later
// Line charts as inline SVG, styled by the page (style.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mitos::search::report {

struct ChartPoint {
    double x = 0.0;
    double low = 0.0;  ///< lower edge of the band
    double y = 0.0;
    double high = 0.0;  ///< upper edge of the band
};

struct ChartSeries {
    std::string label;
    std::size_t style = 0;  ///< selects colour and dashes
    std::vector<ChartPoint> points;
};

struct Chart {
    std::string title;
    std::string xTitle;
    std::string yTitle;
    bool logX = false;
    bool steps = false;     ///< a value holds until the next
    bool markPeak = false;  ///< marks the peak of the first series
    std::vector<ChartSeries> series;
};

/// A <figure>; the y axis is logarithmic if values differ by a factor of fifty. Empty for a chart without points.
[[nodiscard]] std::string svgChart(const Chart& chart);
/// The legend that names the lines.
[[nodiscard]] std::string legend(const std::vector<std::string>& labels);

}  // namespace mitos::search::report
