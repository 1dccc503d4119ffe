// SPDX-License-Identifier: GPL-3.0-or-later
// The report's charts over all contestants.
#include "search/report/internal/sections.h"
#include "search/report/svg_chart.h"

#include <algorithm>

namespace mitos::search::report {

namespace {

constexpr double LargeWidth = 1080.0;
constexpr double LargeHeight = 360.0;
constexpr std::size_t MainPoints = 160;  // of a line
constexpr std::size_t FurtherPoints = 60;

ChartPoint pointOf(double x, const Spread& y) { return {x, y.lower, y.median, y.upper}; }

std::string sumOf(const std::vector<std::size_t>& programs) {
    return programs.size() > 1 ? "total of the best" : "best";
}

}  // namespace

std::string bestSoFarChart(const Contest& contest, const std::vector<std::size_t>& programs, Axis axis,
                           ChartRole role) {
    const bool isTime = axis == Axis::Seconds;
    Chart chart{.title = (programs.size() > 1 ? "Total of the best costs so far" : "Best cost so far") +
                         std::string(isTime ? " over time" : " over evaluations") +
                         ": the line is the median of the seeds, the band their middle half.",
                .xTitle = isTime ? "seconds" : "evaluations",
                .yTitle = contest.unit,
                .steps = true,
                .endLabels = true,
                .series = {}};
    if (role != ChartRole::Small) {
        chart.width = LargeWidth;
        chart.height = LargeHeight;
    }
    const std::size_t most = role == ChartRole::Main ? MainPoints : FurtherPoints;
    double last = 0.0;
    for (const Contestant& one : contest.contestants) {
        const auto curves = curvesOf(one, programs);
        if (curves.empty()) continue;
        ChartSeries& series = chart.series.emplace_back();
        series.label = one.label;
        series.style = one.style;
        for (const BandPoint& point : bandOf(curves, axis, most)) series.points.push_back(pointOf(point.x, point.y));
        last = std::max(last, series.points.back().x);
    }
    for (ChartSeries& series : chart.series) {  // a search that ended stays where it was
        ChartPoint end = series.points.back();
        if (end.x == last) continue;
        end.x = last;
        series.points.push_back(end);
    }
    return svgChart(chart);
}

std::string limitsChart(const Contest& contest, const std::vector<std::size_t>& programs) {
    if (!contest.hasSeveralLimits()) return {};
    Chart chart{
        .title = "The " + sumOf(programs) + " costs over the limit of evaluations, each limit a search of its own.",
        .xTitle = "evaluations allowed to each search",
        .yTitle = contest.unit,
        .endLabels = true,
        .series = {}};
    for (const Contestant& one : contest.contestants) {
        ChartSeries& series = chart.series.emplace_back();
        series.label = one.label;
        series.style = one.style;
        Contestant limited = one;  // under one of the limits
        while (!programs.empty() && limited.group(programs.front()) != nullptr) {
            const auto limit = limited.group(programs.front())->asked().budget.evaluations;
            std::vector<double> sums;
            for (const auto& group : curvesOf(limited, programs)) {
                double& sum = sums.emplace_back(0.0);
                for (const Run* run : group) sum += run->bestCost;
            }
            if (limit && !sums.empty()) {
                series.points.insert(series.points.begin(),
                                     pointOf(static_cast<double>(*limit), spreadOf(std::move(sums))));
            }
            for (auto& ofProgram : limited.groups) {
                if (!ofProgram.empty()) ofProgram.pop_back();
            }
        }
    }
    return svgChart(chart);
}

}  // namespace mitos::search::report
