// SPDX-License-Identifier: GPL-3.0-or-later
// See pypm_charts.h.
#include "search/experiments/pypm_charts.h"

#include "search/experiments/histogram.h"
#include "search/report/html.h"
#include "search/report/svg_bars.h"
#include "search/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::search::experiments {

namespace {

constexpr double PypmWidth = 530.0;  // two figures stand side by side
constexpr double PypmHeight = 300.0;
constexpr double MillisecondsEach = 1e3;
constexpr std::array SearchedFor{PypmCompilation::Attention, PypmCompilation::Epilogs};

std::string inOneRow(const std::string& figures) {
    return figures.empty() ? std::string() : "<div class=\"charts\">" + figures + "</div>\n";
}

std::string histogramOf(const PypmResults& results, const PypmMeasure& measure, const std::string& suite) {
    constexpr double MostBins = 16.0;
    std::vector<std::vector<double>> values;
    std::vector<double> all;
    for (const PypmCompilationInfo& info : pypmCompilations().subspan(1)) {
        std::vector<double> own;
        for (const PypmSpeedup& one : results.speedups(measure, info.compilation, suite)) own.push_back(one.value);
        all.insert(all.end(), own.begin(), own.end());
        values.push_back(std::move(own));
    }
    if (all.empty()) return {};
    const Bins bins = binsOf(all, 1.0, MostBins);
    report::BarChart chart{.title = fmt::format("{}: times as fast as with neither, {}; {}", suite, measure.title,
                                                report::plural(values.front().size(), "model", "models")),
                           .yTitle = "models, %",
                           .width = PypmWidth,
                           .height = PypmHeight,
                           .groups = {},
                           .series = {}};
    for (std::size_t i = 0; i < bins.count; ++i) chart.groups.push_back(bins.text(i));
    for (std::size_t i = 0; i < values.size(); ++i) {
        report::BarSeries series{pypmCompilations()[i + 1].title, i, {}};
        for (const double share : binShares(values[i], bins, values[i].size()))
            series.bars.push_back(share > 0.0 ? std::optional(report::Bar{.value = share}) : std::nullopt);
        chart.series.push_back(std::move(series));
    }
    return report::svgBars(chart);
}

report::Chart pypmChart(std::string title, std::string xTitle) {
    return {.title = std::move(title),
            .xTitle = std::move(xTitle),
            .yTitle = "milliseconds to the fixed point",
            .points = true,
            .endLabels = true,
            .width = PypmWidth,
            .height = PypmHeight,
            .series = {}};
}

report::ChartPoint pointAt(double x, const PypmModel& model, const PypmPass& pass) {
    const double milliseconds = MillisecondsEach * pass.medianSeconds();
    return {.x = x,
            .low = milliseconds,
            .y = milliseconds,
            .high = milliseconds,
            .label = fmt::format("{}: {}, {:.2f} ms", model.title, report::plural(pass.matches(), "match", "matches"),
                                 milliseconds)};
}

}  // namespace

std::string speedupHistograms(const PypmResults& results, const PypmMeasure& measure) {
    std::string figures;
    for (const std::string& suite : results.suites()) figures += histogramOf(results, measure, suite);
    return inOneRow(figures);
}

std::string matchingCharts(const PypmResults& results) {
    std::string figures;
    for (const std::string& suite : results.suites()) {
        report::Chart chart = pypmChart(fmt::format("{}: matching time by the number of matches", suite), "matches");
        for (std::size_t i = 0; i < SearchedFor.size(); ++i) {
            report::ChartSeries series{infoOf(SearchedFor[i]).title, i, {}};
            for (const auto& [model, record] : results.entries()) {
                if (model->suite != suite) continue;
                const PypmPass& pass = PypmResults::pass(record, SearchedFor[i]);
                series.points.push_back(pointAt(static_cast<double>(pass.matches()), *model, pass));
            }
            chart.series.push_back(std::move(series));
        }
        figures += report::svgChart(chart);
    }
    return inOneRow(figures);
}

std::string sizeChart(const PypmResults& results) {
    report::Chart chart = pypmChart("Passes without a match: matching time by the size of the graph", "nodes");
    for (std::size_t i = 0; i < SearchedFor.size(); ++i) {
        report::ChartSeries series{infoOf(SearchedFor[i]).title, i, {}};
        for (const auto& [model, record] : results.entries()) {
            const PypmPass& pass = PypmResults::pass(record, SearchedFor[i]);
            if (pass.matches() == 0) series.points.push_back(pointAt(static_cast<double>(record.nodes), *model, pass));
        }
        chart.series.push_back(std::move(series));
    }
    return inOneRow(report::svgChart(chart));
}

}  // namespace mitos::search::experiments
