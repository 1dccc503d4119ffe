// SPDX-License-Identifier: GPL-3.0-or-later
// See svg_chart.h.
#include "search/report/svg_chart.h"

#include "search/report/html.h"
#include "search/report/internal/scale.h"
#include "search/report/internal/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace mitos::search::report {

namespace {

constexpr double Left = 66.0;
constexpr double Right = 14.0;
constexpr double Top = 12.0;
constexpr double Bottom = 40.0;
constexpr double LogRatio = 100.0;
constexpr double LabelGap = 8.0;
constexpr double LabelHeight = 15.0;
constexpr double LetterWidth = 6.6;
constexpr std::size_t LongestLabel = 26;

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    void include(double value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
};

std::string styleClass(std::size_t style) {
    return fmt::format("c{} d{}", style % SeriesColours, style % SeriesDashes);
}

std::string at(double x, double y) { return fmt::format("{:.1f},{:.1f}", x, y); }

/// Corners of a line through the points.
std::string corners(const Chart& chart, const ChartSeries& series, const Scale& x, const Scale& y,
                    double ChartPoint::*value) {
    std::string text;
    double last = 0.0;
    for (const ChartPoint& point : series.points) {
        const double here = y.place(point.*value);
        if (chart.steps && !text.empty()) text += " " + at(x.place(point.x), last);
        text += (text.empty() ? "" : " ") + at(x.place(point.x), here);
        last = here;
    }
    return text;
}

/// The same corners from right to left, for the lower edge of a band.
std::string reversedCorners(const std::string& text) {
    std::string result;
    std::size_t end = text.size();
    while (true) {
        const std::size_t space = end == 0 ? std::string::npos : text.rfind(' ', end - 1);
        const std::size_t begin = space == std::string::npos ? 0 : space + 1;
        result += (result.empty() ? "" : " ") + text.substr(begin, end - begin);
        if (begin == 0) return result;
        end = space;
    }
}

std::string drawnPoints(const ChartSeries& series, const Scale& x, const Scale& y) {
    std::string svg;
    for (const ChartPoint& point : series.points) {
        svg += fmt::format(
            "<circle class=\"bar c{}\" fill-opacity=\"0.7\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\">"
            "<title>{}</title></circle>\n",
            series.style % SeriesColours, x.place(point.x), y.place(point.y),
            escaped(point.label.empty() ? series.label : point.label));
    }
    return svg;
}

std::string drawn(const Chart& chart, const ChartSeries& series, const Scale& x, const Scale& y) {
    if (chart.points) return drawnPoints(series, x, y);
    std::string svg;
    const bool banded = std::ranges::any_of(series.points, [](const ChartPoint& p) { return p.high > p.low; });
    if (banded) {
        svg += fmt::format("<polygon class=\"b {}\" points=\"{} {}\"/>", styleClass(series.style),
                           corners(chart, series, x, y, &ChartPoint::high),
                           reversedCorners(corners(chart, series, x, y, &ChartPoint::low)));
    }
    return svg + fmt::format("<polyline class=\"l {}\" points=\"{}\"><title>{}</title></polyline>\n",
                             styleClass(series.style), corners(chart, series, x, y, &ChartPoint::y),
                             escaped(series.label));
}

/// The chart's area and its scales.
struct Frame {
    double right = 0.0;
    double bottom = 0.0;
    Scale x;
    Scale y;
};

/// Nothing for a chart without points.
std::optional<Frame> frameOf(const Chart& chart) {
    Range across;
    Range up;
    std::size_t letters = 0;
    for (const ChartSeries& series : chart.series) {
        for (const ChartPoint& point : series.points) {
            across.include(point.x);
            up.include(point.low);
            up.include(point.high);
            up.include(point.y);
        }
        if (!series.points.empty()) letters = std::max(letters, std::min(series.label.size(), LongestLabel));
    }
    if (across.most < across.least) return std::nullopt;
    const double labels = chart.endLabels ? LetterWidth * static_cast<double>(letters) + LabelGap : 0.0;
    const double right = chart.width - Right - labels;
    const double bottom = chart.height - Bottom;
    const auto isWide = [](const Range& range) { return range.least > 0.0 && range.most / range.least > LogRatio; };
    const Scale x(across.least, across.most, isWide(across), Left, right);
    if (isWide(up)) {
        const double factor = std::pow(up.most / up.least, chart.markPeak ? 0.16 : 0.07);
        return Frame{right, bottom, x, Scale(up.least / factor, up.most * factor, true, bottom, Top)};
    }
    // A margin above and below, so that no line lies on the frame and the peak's label fits.
    const double room = (chart.markPeak ? 0.16 : 0.06) * (up.most - up.least);
    return Frame{right, bottom, x, Scale(up.least - room, up.most + room, false, bottom, Top)};
}

std::string axes(const Chart& chart, const Frame& frame) {
    std::string svg;
    for (const double tick : frame.y.ticks()) {
        const double y = frame.y.place(tick);
        svg += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", Left,
                           frame.right, y, y);
        svg +=
            fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", Left - 6, y + 4, costText(tick));
    }
    for (const double tick : frame.x.ticks()) {
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", frame.x.place(tick),
                           frame.bottom + 16, costText(tick));
    }
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", (Left + frame.right) / 2,
                       chart.height - 6, escaped(chart.xTitle));
    return svg + fmt::format("<text transform=\"translate(12 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                             (Top + frame.bottom) / 2, escaped(chart.yTitle));
}

std::string peakMark(const ChartSeries& series, const Frame& frame) {
    const auto peak = std::ranges::max_element(series.points, {}, &ChartPoint::y);
    if (peak->y <= std::max(series.points.front().y, series.points.back().y)) return {};
    const double x = frame.x.place(peak->x);
    const double y = frame.y.place(peak->y);
    const bool isRight = x > (Left + frame.right) / 2;
    return fmt::format(
        "<circle class=\"peak\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"><title>peak</title></circle>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">peak {}</text>\n",
        x, y, x + (isRight ? -7 : 7), std::max(y - 6, Top + 8), isRight ? "end" : "start", costText(peak->y));
}

/// Names at the ends of the lines, as near to them as they fit above each other.
std::string endLabels(const Chart& chart, const Frame& frame) {
    struct Label {
        const ChartSeries* series;
        double y;
    };
    std::vector<Label> labels;
    for (const ChartSeries& series : chart.series) {
        if (!series.points.empty()) labels.push_back({&series, frame.y.place(series.points.back().y)});
    }
    std::ranges::stable_sort(labels, {}, &Label::y);
    const auto room = static_cast<std::size_t>((frame.bottom - Top) / LabelHeight) + 1;
    if (labels.size() > room) labels.resize(room);  // the table names them all
    double next = Top;
    for (Label& label : labels) {
        label.y = std::max(label.y, next);
        next = label.y + LabelHeight;
    }
    double last = frame.bottom;
    for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
        label->y = std::min(label->y, last);
        last = label->y - LabelHeight;
    }
    std::string svg;
    for (const Label& label : labels) {
        svg +=
            fmt::format("<text class=\"name {}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", styleClass(label.series->style),
                        frame.right + LabelGap, label.y + 4, escaped(shortened(label.series->label, LongestLabel)));
    }
    return svg + "\n";
}

}  // namespace

std::string svgChart(const Chart& chart) {
    const std::optional<Frame> frame = frameOf(chart);
    if (!frame) return {};
    std::string svg = fmt::format("<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", chart.width,
                                  chart.height, escaped(chart.title));
    svg += axes(chart, *frame);
    for (const ChartSeries& series : chart.series) {
        if (!series.points.empty()) svg += drawn(chart, series, frame->x, frame->y);
    }
    if (chart.endLabels) svg += endLabels(chart, *frame);
    const bool hasFirst = !chart.series.empty() && !chart.series.front().points.empty();
    if (chart.markPeak && hasFirst) svg += peakMark(chart.series.front(), *frame);
    if (chart.showsHere && hasFirst) {
        const ChartPlace start = placesOf(chart).front();
        svg += fmt::format("<circle class=\"here\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/>\n", start.x, start.y);
    }
    return svg + fmt::format("</svg><figcaption>{}</figcaption></figure>\n", escaped(chart.title));
}

std::vector<ChartPlace> placesOf(const Chart& chart) {
    std::vector<ChartPlace> places;
    const std::optional<Frame> frame = frameOf(chart);
    if (!frame || chart.series.empty()) return places;
    for (const ChartPoint& point : chart.series.front().points) {
        places.push_back({frame->x.place(point.x), frame->y.place(point.y)});
    }
    return places;
}

std::string lineSample(std::size_t style) {
    return fmt::format(
        "<svg class=\"sample\" viewBox=\"0 0 30 10\"><line class=\"l {}\" x1=\"0\" x2=\"30\" y1=\"5\" y2=\"5\"/></svg>",
        styleClass(style));
}

}  // namespace mitos::search::report
