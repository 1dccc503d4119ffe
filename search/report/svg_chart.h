// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of lines and of points as inline SVG, styled by the page (style.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mitos::search::report {

struct ChartPoint {
    double x = 0.0;
    double low = 0.0;  ///< lower edge of the band
    double y = 0.0;
    double high = 0.0;       ///< upper edge of the band
    std::string label = {};  ///< shown when the pointer rests on it, where the chart has points
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
    bool steps = false;      ///< a value holds until the next
    bool points = false;     ///< draws points instead of lines
    bool markPeak = false;   ///< marks the peak of the first series if it is neither its first nor its last point
    bool showsHere = false;  ///< has a point of the class `here` at the start of the first series, which scripts move
    bool endLabels = false;  ///< names the lines at their ends
    double width = 480.0;
    double height = 270.0;
    std::vector<ChartSeries> series;
};

/// A <figure>; an axis is logarithmic if its values are positive and differ by more than a factor of a hundred. Empty for a chart
/// without points.
[[nodiscard]] std::string svgChart(const Chart& chart);

struct ChartPlace {
    double x = 0.0;
    double y = 0.0;
};
/// The places of the first series' points in the picture.
[[nodiscard]] std::vector<ChartPlace> placesOf(const Chart& chart);

/// A short piece of the line, which stands before its name.
[[nodiscard]] std::string lineSample(std::size_t style);

}  // namespace mitos::search::report
