// SPDX-License-Identifier: GPL-3.0-or-later
// See knossos_charts.h.
#include "search/experiments/knossos_charts.h"

#include "search/experiments/report_table.h"
#include "search/report/svg_bars.h"
#include "search/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mitos::search::experiments {

namespace {

constexpr double KnossosWidth = 530.0;  // two figures stand side by side
constexpr double KnossosHeight = 330.0;
constexpr double LowPercentile = 0.2;
constexpr double HighPercentile = 0.8;
constexpr double MillisecondsInOne = 1'000.0;

enum class KnossosBand : std::uint8_t { Percentiles, Deviation, None };

report::ChartPoint pointOf(double x, const std::vector<double>& totals, KnossosBand band) {
    const double mean = meanOf(totals);
    switch (band) {
        case KnossosBand::Percentiles:
            return {x, std::min(mean, quantileOf(totals, LowPercentile)), mean,
                    std::max(mean, quantileOf(totals, HighPercentile))};
        case KnossosBand::Deviation: return {x, mean - deviationOf(totals), mean, mean + deviationOf(totals)};
        case KnossosBand::None: break;
    }
    return {x, mean, mean, mean};
}

/// A total that does not depend on epochs.
report::ChartSeries levelSeries(std::string label, std::size_t style, double total, double lastEpoch) {
    return {std::move(label), style, {{0.0, total, total, total}, {lastEpoch, total, total, total}}};
}

std::string epochChart(const KnossosResults& results, KnossosTask task, std::uint64_t budget, KnossosBand band) {
    const char* const bandText =
        band == KnossosBand::Percentiles ? "bands: 20 to 80 percentile" : "bands: one standard deviation";
    report::Chart chart{.title = fmt::format("A* with {} evaluations, {}", groupedText(budget), bandText),
                        .xTitle = "epochs",
                        .yTitle = "total cost",
                        .endLabels = true,
                        .width = KnossosWidth,
                        .height = KnossosHeight,
                        .series = {}};
    std::size_t style = 0;
    double lastEpoch = 0.0;
    for (const KnossosMethod& method : knossosMethods()) {
        if (!method.isLearned()) continue;
        report::ChartSeries series{method.title, style++, {}};
        const KnossosKey key = ownKey(task, method);
        for (const std::uint32_t epochs : results.stages(key)) {
            const std::vector<double> totals = results.totalsAt(key, budget, epochs);
            if (!totals.empty()) series.points.push_back(pointOf(epochs, totals, band));
        }
        if (series.points.empty()) continue;
        lastEpoch = std::max(lastEpoch, series.points.back().x);
        chart.series.push_back(std::move(series));
    }
    if (chart.series.empty()) return {};
    for (const char* const name : {"greedy-zero", "random"}) {
        const KnossosMethod& method = *findKnossosMethod(name);
        const std::vector<double> totals = results.totals(ownKey(task, method), budget);
        if (!totals.empty()) chart.series.push_back(levelSeries(method.title, style++, meanOf(totals), lastEpoch));
    }
    if (const auto best = results.bestUnlearned(task, budget)) {
        chart.series.push_back(levelSeries(fmt::format("best other: {}", results.title(*best)), style++,
                                           meanOf(results.totals(*best, budget)), lastEpoch));
    }
    const NamedNumber* const evaluations = results.paper().find("evaluations");
    if (evaluations == nullptr || evaluations->value != static_cast<double>(budget)) return report::svgChart(chart);
    const std::pair<const char*, const char*> levels[]{{"knossos", "paper: Knossos"},
                                                       {"flat", "paper: NoGNN"},
                                                       {"greedy", "paper: greedy"},
                                                       {"random", "paper: random"}};
    for (const auto& [name, label] : levels) {
        if (const auto level = results.paperOf(task, name))
            chart.series.push_back(levelSeries(label, style++, *level, lastEpoch));
    }
    return report::svgChart(chart);
}

report::ChartSeries budgetSeries(const KnossosResults& results, const KnossosKey& key, std::size_t style) {
    report::ChartSeries series{results.title(key), style, {}};
    for (const std::uint64_t budget : results.plan().budgets) {
        const std::vector<double> totals = results.totals(key, budget);
        if (!totals.empty())
            series.points.push_back(pointOf(static_cast<double>(budget), totals, KnossosBand::Percentiles));
    }
    return series;
}

/// The same over the time of a search.
report::ChartSeries timeSeries(const KnossosResults& results, const KnossosKey& key, std::size_t style) {
    report::ChartSeries series{results.title(key), style, {}};
    for (const std::uint64_t budget : results.plan().budgets) {
        const std::vector<double> totals = results.totals(key, budget);
        if (!totals.empty())
            series.points.push_back(
                pointOf(MillisecondsInOne * meanOf(results.seconds(key, budget)), totals, KnossosBand::Percentiles));
    }
    return series;
}

report::Chart budgetChart(std::string title, std::string xTitle = "evaluations of each program") {
    return {.title = std::move(title),
            .xTitle = std::move(xTitle),
            .yTitle = "total cost",
            .endLabels = true,
            .width = KnossosWidth,
            .height = KnossosHeight,
            .series = {}};
}

std::string chartsOf(const std::string& figures) {
    return figures.empty() ? std::string() : "<div class=\"charts\">" + figures + "</div>\n";
}

}  // namespace

std::string knossosEpochCharts(const KnossosResults& results, KnossosTask task) {
    const std::vector<std::uint64_t>& budgets = results.plan().budgets;
    std::string figures = epochChart(results, task, budgets.back(), KnossosBand::Percentiles);
    figures += epochChart(results, task, budgets.back(), KnossosBand::Deviation);
    for (auto budget = budgets.rbegin() + 1; budget != budgets.rend(); ++budget)
        figures += epochChart(results, task, *budget, KnossosBand::Percentiles);
    return chartsOf(figures);
}

std::string knossosBudgetCharts(const KnossosResults& results, KnossosTask task) {
    report::Chart own = budgetChart("Trained A* and searches without learning");
    report::Chart inAll = budgetChart("Searches with and without trained values");
    std::size_t style = 0;
    for (const KnossosKey& key : results.keys(task)) {
        if (key == ownKey(task, *key.method)) own.series.push_back(budgetSeries(results, key, style++));
    }
    style = 0;
    for (const KnossosKey& key : results.keys(task)) {
        const bool isCompared = std::ranges::find(knossosSearches(), key.strategy) != knossosSearches().end();
        const bool isOurs = key.method->name == KnossosOurs;
        const bool isPlain = key.method->value != nullptr && key.method->value == std::string_view("zero");
        if (isCompared && (isOurs || isPlain)) inAll.series.push_back(budgetSeries(results, key, style++));
    }
    report::Chart overTime =
        budgetChart("Quality and speed: what A* comes to in a time", "milliseconds of each program");
    style = 0;
    for (const KnossosKey& key : results.keys(task)) {
        const bool isUnlearned = key.method->name == std::string_view("astar-potential");
        if (key == ownKey(task, *key.method) && (key.method->isLearned() || isUnlearned))
            overTime.series.push_back(timeSeries(results, key, style++));
    }
    return chartsOf(report::svgChart(own) + report::svgChart(inAll) + report::svgChart(overTime));
}

std::string knossosSpeedChart(const KnossosResults& results) {
    report::BarChart chart{.title = "States that a value function rates in a second, on one thread",
                           .yTitle = "states a second",
                           .groups = {},
                           .series = {{"states a second", 0, {}}}};
    for (const KnossosMethod& method : knossosMethods()) {
        std::vector<double> speeds;
        for (const KnossosTaskInfo& info : knossosTasks()) {
            for (const KnossosRecord* const record : results.of(info.task, method)) {
                if (record->statesPerSecond > 0.0) speeds.push_back(record->statesPerSecond);
            }
        }
        if (speeds.empty()) continue;
        chart.groups.emplace_back(method.title);
        chart.series[0].bars.emplace_back(report::Bar{.value = meanOf(speeds), .deviation = deviationOf(speeds)});
    }
    return report::svgBars(chart);
}

}  // namespace mitos::search::experiments
