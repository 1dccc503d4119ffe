// SPDX-License-Identifier: GPL-3.0-or-later
// See svg_chart.h.
#include "search/report/internal/svg_chart.h"

#include "search/report/internal/html.h"
#include "search/report/internal/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mitos::search::report {

namespace {

constexpr double Width = 480.0;
constexpr double Height = 270.0;
constexpr double Left = 66.0;
constexpr double Right = 14.0;
constexpr double Top = 12.0;
constexpr double Bottom = 40.0;
constexpr double LogRatio = 50.0;

/// One axis: maps values to positions and computes its ticks.
class Scale {
public:
    Scale(double least, double most, bool logarithmic, double from, double to)
        : m_logarithmic(logarithmic),
          m_low(transformed(least)),
          m_high(transformed(most)),
          m_from(from),
          m_to(to) {
        if (m_high <= m_low) {
            const double room = logarithmic ? 0.3 : std::max(std::abs(m_low) * 0.05, 0.5);
            m_low -= room;
            m_high += room;
        }
    }

    [[nodiscard]] double place(double value) const {
        return m_from + (m_to - m_from) * (transformed(value) - m_low) / (m_high - m_low);
    }

    [[nodiscard]] std::vector<double> ticks() const { return m_logarithmic ? logTicks() : linearTicks(); }

private:
    [[nodiscard]] double transformed(double value) const { return m_logarithmic ? std::log10(value) : value; }

    [[nodiscard]] std::vector<double> linearTicks() const {
        const double raw = (m_high - m_low) / 5.0;
        const double power = std::pow(10.0, std::floor(std::log10(raw)));
        const double step = raw / power > 5.0 ? 10.0 * power : raw / power > 2.0 ? 5.0 * power : 2.0 * power;
        std::vector<double> ticks;
        for (double i = std::ceil(m_low / step); i * step <= m_high; ++i) ticks.push_back(i * step);
        return ticks;
    }

    [[nodiscard]] std::vector<double> logTicks() const {
        const double decades = m_high - m_low;
        const double every = std::max(1.0, std::ceil(decades / 6.0));
        std::vector<double> ticks;
        for (double power = std::floor(m_low); power <= m_high; power += every) {
            for (const double digit : {1.0, 2.0, 5.0}) {
                if (digit > 1.0 && decades > 2.5) break;
                const double exponent = power + std::log10(digit);
                if (exponent >= m_low - 1e-9 && exponent <= m_high + 1e-9) ticks.push_back(std::pow(10.0, exponent));
            }
        }
        return ticks;
    }

    bool m_logarithmic;
    double m_low;
    double m_high;
    double m_from;
    double m_to;
};

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    void include(double value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
};

std::string styleClass(std::size_t style) { return fmt::format("s{}", style % SeriesStyles); }

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

std::string drawn(const Chart& chart, const ChartSeries& series, const Scale& x, const Scale& y) {
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

std::string axes(const Chart& chart, const Scale& x, const Scale& y) {
    std::string svg;
    for (const double tick : y.ticks()) {
        svg += fmt::format("<line class=grid x1={} x2={} y1={:.1f} y2={:.1f} />", Left, Width - Right, y.place(tick),
                           y.place(tick));
        svg += fmt::format("<text x={} y={:.1f} text-anchor=end>{:.5g}</text>", Left - 6, y.place(tick) + 4, tick);
    }
    for (const double tick : x.ticks()) {
        svg += fmt::format("<line class=grid x1={:.1f} x2={:.1f} y1={} y2={} />", x.place(tick), x.place(tick), Top,
                           Height - Bottom);
        svg += fmt::format("<text x={:.1f} y={} text-anchor=middle>{:.5g}</text>", x.place(tick), Height - Bottom + 15,
                           tick);
    }
    svg += fmt::format("<text x={} y={} text-anchor=middle>{}</text>", (Left + Width - Right) / 2, Height - 6,
                       escaped(chart.xTitle));
    return svg + fmt::format("<text transform=\"translate(12 {}) rotate(-90)\" text-anchor=middle>{}</text>\n",
                             (Top + Height - Bottom) / 2, escaped(chart.yTitle));
}

std::string peakMark(const ChartSeries& series, const Scale& x, const Scale& y) {
    const auto peak = std::ranges::max_element(series.points, {}, &ChartPoint::y);
    const double left = x.place(peak->x);
    const char* anchor = left > Width / 2 ? "end" : "start";
    return fmt::format(
        "<circle class=peak cx={:.1f} cy={:.1f} r=3.5><title>peak</title></circle>"
        "<text x={:.1f} y={:.1f} text-anchor={}>peak {:.5g}</text>\n",
        left, y.place(peak->y), left + (left > Width / 2 ? -7 : 7), std::max(y.place(peak->y) - 6, Top + 8), anchor,
        peak->y);
}

}  // namespace

std::string svgChart(const Chart& chart) {
    Range across;
    Range up;
    for (const ChartSeries& series : chart.series) {
        for (const ChartPoint& point : series.points) {
            across.include(point.x);
            up.include(point.low);
            up.include(point.high);
            up.include(point.y);
        }
    }
    if (across.most < across.least) return {};
    const bool logUp = up.least > 0.0 && up.most / up.least > LogRatio;
    const Scale x(across.least, across.most, chart.logX && across.least > 0.0, Left, Width - Right);
    // A margin above and below, so that no line lies on the frame and the peak's label fits.
    const double room = 0.04 * (up.most - up.least);
    const double factor = logUp ? std::pow(up.most / up.least, 0.07) : 1.0;
    const Scale y = logUp ? Scale(up.least / factor, up.most * factor, true, Height - Bottom, Top)
                          : Scale(up.least - room, up.most + room, false, Height - Bottom, Top);
    std::string svg = fmt::format("<figure><svg viewBox=\"0 0 {} {}\" role=img aria-label=\"{}\">\n", Width, Height,
                                  escaped(chart.title));
    svg += axes(chart, x, y);
    for (const ChartSeries& series : chart.series) {
        if (!series.points.empty()) svg += drawn(chart, series, x, y);
    }
    if (chart.markPeak && !chart.series.empty() && !chart.series.front().points.empty()) {
        svg += peakMark(chart.series.front(), x, y);
    }
    return svg + fmt::format("</svg><figcaption>{}</figcaption></figure>\n", escaped(chart.title));
}

std::string legend(const std::vector<std::string>& labels) {
    std::string html = "<div class=legend>";
    for (std::size_t i = 0; i < labels.size(); ++i) {
        html +=
            fmt::format("<span><svg viewBox=\"0 0 30 10\"><line class=\"l {}\" x1=0 x2=30 y1=5 y2=5 /></svg> {}</span>",
                        styleClass(i), escaped(labels[i]));
    }
    return html + "</div>\n";
}

}  // namespace mitos::search::report
