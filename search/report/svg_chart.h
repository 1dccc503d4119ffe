// SPDX-License-Identifier: GPL-3.0-or-later
// Line charts as inline SVG, styled by the page (style.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mitos::search::report {

struct ChartPoint {
    double x = 0.0;
    double low = 0.0;  ///< of the band
    double y = 0.0;
    double high = 0.0;
};

struct ChartSeries {
    std::string label;
    std::size_t style = 0;  ///< picks colour and dashes
    std::vector<ChartPoint> points;
};

struct Chart {
    std::string title;
    std::string xTitle;
    std::string yTitle;
    bool logX = false;
    bool steps = false;     ///< a value holds until the next
    bool markPeak = false;  ///< of the first series
    std::vector<ChartSeries> series;
};

/// A <figure>; the y axis is logarithmic where values differ by a factor of fifty. Nothing for a chart without points.
[[nodiscard]] std::string svgChart(const Chart& chart);
/// What the lines mean.
[[nodiscard]] std::string legend(const std::vector<std::string>& labels);

}  // namespace mitos::search::report
