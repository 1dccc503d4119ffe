// SPDX-License-Identifier: GPL-3.0-or-later
// See svg_bars.h.
#include "search/report/svg_bars.h"

#include "search/report/html.h"
#include "search/report/internal/scale.h"
#include "search/report/internal/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mitos::search::report {

namespace {

constexpr double Left = 66.0;
constexpr double Right = 14.0;
constexpr double Top = 34.0;  // the legend stands above the bars
constexpr double LetterWidth = 6.6;
constexpr double LogRatio = 100.0;

std::string colourOf(std::size_t style) { return fmt::format("c{}", style % SeriesColours); }

std::size_t longest(const std::vector<std::string>& texts) {
    std::size_t letters = 0;
    for (const std::string& text : texts) letters = std::max(letters, text.size());
    return letters;
}

/// The vertical axis of the bars.
Scale scaleOf(const BarChart& chart, double bottom) {
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const BarSeries& series : chart.series) {
        for (const std::optional<Bar>& bar : series.bars) {
            if (!bar) continue;
            least = std::min(least, bar->value);
            most = std::max(most, bar->value + bar->deviation);
        }
    }
    constexpr double LogRoom = 1.5;
    constexpr double Room = 1.05;
    if (least > 0.0 && most / least > LogRatio) return {least / LogRoom, most * LogRoom, true, bottom, Top};
    return {std::min(least, 0.0) * Room, std::max(most, 0.0) * Room, false, bottom, Top};
}

std::string legend(const BarChart& chart) {
    constexpr double Gap = 34.0;
    std::string svg;
    double x = Left;
    for (const BarSeries& series : chart.series) {
        svg += fmt::format(
            "<rect class=\"bar {}\" x=\"{:.1f}\" y=\"6\" width=\"12\" height=\"12\"/>"
            "<text x=\"{:.1f}\" y=\"16\">{}</text>",
            colourOf(series.style), x, x + 17, escaped(series.label));
        x += LetterWidth * static_cast<double>(series.label.size()) + Gap;
    }
    return svg + "\n";
}

/// A text that ends at the place, sloping upwards, so that long names fit beside each other.
std::string slopingName(double x, double y, const std::string& name) {
    return fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-30)\" text-anchor=\"end\">{}</text>", x, y,
                       escaped(name));
}

std::string drawn(const BarSeries& series, const Bar& bar, const std::string& group, double x, double width,
                  const Scale& scale, double base) {
    const double end = scale.place(bar.value);
    std::string svg = fmt::format(
        "<rect class=\"bar {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}, {}: "
        "{}</title></rect>",
        colourOf(series.style), x, std::min(end, base), width, std::max(std::abs(base - end), 0.5), escaped(group),
        escaped(series.label), costText(bar.value));
    const double low = bar.value - bar.deviation;
    if (bar.deviation <= 0.0 || (scale.isLogarithmic() && low <= 0.0)) return svg;
    const double middle = x + width / 2;
    return svg + fmt::format("<line class=\"error\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
                             middle, scale.place(low), scale.place(bar.value + bar.deviation));
}

}  // namespace

std::string svgBars(const BarChart& chart) {
    const bool hasBars = std::ranges::any_of(chart.series, [](const BarSeries& series) {
        return std::ranges::any_of(series.bars, [](const std::optional<Bar>& bar) { return bar.has_value(); });
    });
    if (!hasBars) return {};
    const double names = 0.5 * LetterWidth * static_cast<double>(longest(chart.groups)) + 28.0;
    const double bottom = chart.height - names;
    const Scale scale = scaleOf(chart, bottom);
    std::string svg = fmt::format("<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", chart.width,
                                  chart.height, escaped(chart.title));
    for (const double tick : scale.ticks()) {
        const double y = scale.place(tick);
        svg += fmt::format(
            "<line class=\"grid\" x1=\"{0}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" "
            "y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>",
            Left, chart.width - Right, y, Left - 6, y + 4, costText(tick));
    }
    svg += fmt::format("<text transform=\"translate(12 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                       (Top + bottom) / 2, escaped(chart.yTitle));
    const double base = scale.isLogarithmic() ? bottom : scale.place(0.0);
    const double each = (chart.width - Left - Right) / static_cast<double>(chart.groups.size());
    constexpr double Filled = 0.8;  // of the width of a group
    const double width = Filled * each / static_cast<double>(chart.series.size());
    for (std::size_t group = 0; group < chart.groups.size(); ++group) {
        const double begin = Left + each * static_cast<double>(group) + (1 - Filled) / 2 * each;
        for (std::size_t i = 0; i < chart.series.size(); ++i) {
            const BarSeries& series = chart.series[i];
            if (group >= series.bars.size() || !series.bars[group]) continue;
            svg += drawn(series, *series.bars[group], chart.groups[group], begin + width * static_cast<double>(i),
                         width, scale, base);
        }
        svg += slopingName(begin + Filled / 2 * each + 6, bottom + 16, chart.groups[group]) + "\n";
    }
    svg += legend(chart);
    return svg + fmt::format("</svg><figcaption>{}</figcaption></figure>\n", escaped(chart.title));
}

std::string svgHeatmap(const Heatmap& map) {
    if (map.rows.empty() || map.columns.empty()) return {};
    constexpr double CellWidth = 56.0;
    constexpr double CellHeight = 18.0;
    constexpr double Palest = 0.12;
    std::uint64_t most = 1;
    for (const auto& row : map.counts) most = std::max(most, *std::ranges::max_element(row));
    const double left = LetterWidth * static_cast<double>(longest(map.rows)) + 16.0;
    const double top = 0.5 * LetterWidth * static_cast<double>(longest(map.columns)) + 24.0;
    // At least as wide as a chart, so that the text has its usual size.
    constexpr double Least = 1080.0;
    const double width = std::max(Least, left + CellWidth * static_cast<double>(map.columns.size()) + top + Right);
    const double height = top + CellHeight * static_cast<double>(map.rows.size()) + 8.0;
    std::string svg = fmt::format("<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", width, height,
                                  escaped(map.title));
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
        svg +=
            fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-30)\">{}</text>",
                        left + CellWidth * (static_cast<double>(column) + 0.4), top - 8, escaped(map.columns[column]));
    }
    for (std::size_t row = 0; row < map.rows.size(); ++row) {
        const double y = top + CellHeight * static_cast<double>(row);
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", left - 8, y + 13,
                           escaped(map.rows[row]));
        for (std::size_t column = 0; column < map.columns.size(); ++column) {
            const double x = left + CellWidth * static_cast<double>(column);
            const std::uint64_t count = map.counts[row][column];
            if (count == 0) {
                svg += fmt::format("<rect class=\"empty\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>", x, y,
                                   CellWidth - 2, CellHeight - 2);
                continue;
            }
            const double shade =
                Palest + (1 - Palest) * 0.6 * std::sqrt(static_cast<double>(count) / static_cast<double>(most));
            svg += fmt::format(
                "<rect class=\"bar c0\" fill-opacity=\"{:.2f}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" "
                "height=\"{}\"><title>{}, {}: {}</title></rect><text class=\"count\" x=\"{:.1f}\" "
                "y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                shade, x, y, CellWidth - 2, CellHeight - 2, escaped(map.rows[row]), escaped(map.columns[column]), count,
                x + CellWidth / 2 - 1, y + 12, count);
        }
        svg += "\n";
    }
    return svg + fmt::format("</svg><figcaption>{}</figcaption></figure>\n", escaped(map.title));
}

}  // namespace mitos::search::report
