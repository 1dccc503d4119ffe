// SPDX-License-Identifier: GPL-3.0-or-later
// See regal_charts.h.
#include "search/experiments/regal_charts.h"

#include "search/experiments/histogram.h"
#include "search/experiments/regal_tables.h"
#include "search/report/html.h"
#include "search/report/svg_bars.h"
#include "search/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace mitos::search::experiments {

namespace {

constexpr double HalfWidth = 530.0;  // two figures stand side by side
constexpr std::size_t BetterStyle = 2;
constexpr std::size_t WorseStyle = 1;
constexpr std::array<RegalTask, 2> PaperTasks{RegalTask::Memory, RegalTask::Time};

const char* objectText(RegalTask task) { return task == RegalTask::Memory ? "peak memory" : "run time"; }

std::string sideBySide(const std::string& figures) {
    return figures.empty() ? std::string() : "<div class=\"charts\">" + figures + "</div>\n";
}

std::string gainHistogram(const RegalResults& results, RegalTask task) {
    const auto summary = results.summary(usualKey(results.plan(), task, RegalSet::Unseen, RegalMethod::Regal));
    if (!summary || summary->comparison.count() == 0) return {};
    const PairedComparison& comparison = summary->comparison;
    constexpr double MostBins = 16.0;
    const Bins bins = binsOf(comparison.improvements, 0.0, MostBins);
    std::vector<double> better;
    std::vector<double> worse;
    for (const double gain : comparison.improvements) {
        if (gain > 0.0) better.push_back(gain);
        if (gain < 0.0) worse.push_back(gain);
    }
    if (better.empty() && worse.empty())
        return fmt::format("<p class=\"soft\">All graphs have the same {}.</p>\n", objectText(task));
    const std::vector<double> betterShares = binShares(better, bins, comparison.count());
    const std::vector<double> worseShares = binShares(worse, bins, comparison.count());
    report::BarChart chart{.title = fmt::format("{}: gains of REGAL over BRKGA; {} better, {} equal, {} worse",
                                                task == RegalTask::Memory ? "Peak memory" : "Run time",
                                                comparison.better, comparison.equal, comparison.worse),
                           .yTitle = "graphs, %",
                           .width = HalfWidth,
                           .height = 300.0,
                           .groups = {},
                           .series = {{"better", BetterStyle, {}}, {"worse", WorseStyle, {}}}};
    for (std::size_t i = 0; i < bins.count; ++i) {
        chart.groups.push_back(bins.text(i) + " %");
        const auto bar = [](double share) {
            return share > 0.0 ? std::optional(report::Bar{.value = share}) : std::nullopt;
        };
        chart.series[0].bars.push_back(bar(betterShares[i]));
        chart.series[1].bars.push_back(bar(worseShares[i]));
    }
    return report::svgBars(chart);
}

std::string evaluationChart(const RegalResults& results, RegalTask task) {
    report::Chart chart{.title = fmt::format("Gain over BRKGA with {} evaluations, {}",
                                             groupedText(results.plan().evaluations), objectText(task)),
                        .xTitle = "evaluations",
                        .yTitle = "gain, %",
                        .endLabels = true,
                        .width = HalfWidth,
                        .height = 300.0,
                        .series = {}};
    std::size_t style = 0;
    for (const RegalMethod method : {RegalMethod::Brkga, RegalMethod::Regal}) {
        report::ChartSeries series{infoOf(method).title, style++, {}};
        for (const std::uint64_t limit : results.plan().limits()) {
            const auto summary = results.summary({task, RegalSet::Unseen, method, limit});
            if (!summary || summary->comparison.count() == 0) continue;
            const IntervalMean& gain = summary->comparison.improvement;
            series.points.push_back({static_cast<double>(limit), gain.low, gain.mean, gain.high});
        }
        if (series.points.size() > 1) chart.series.push_back(std::move(series));
    }
    return report::svgChart(chart);
}

std::vector<double> deviceEntropies(const RegalResults& results, RegalTask task) {
    std::vector<double> entropies;
    const RegalKey key = usualKey(results.plan(), task, RegalSet::Unseen, RegalMethod::Regal);
    for (std::uint32_t i = 0; i < results.plan().graphs; ++i) {
        const RegalOutcome* const outcome = results.outcome(key, i);
        if (outcome != nullptr && outcome->actions) entropies.push_back(outcome->actions->devices);
    }
    return entropies;
}

std::string entropyHistogram(const RegalResults& results, RegalTask task) {
    const std::vector<double> entropies = deviceEntropies(results, task);
    if (entropies.empty()) return {};
    constexpr double Width = 0.25;
    const double most = *std::ranges::max_element(entropies);
    const Bins bins{
        .begin = 0.0, .width = Width, .count = static_cast<std::size_t>(std::floor(std::max(most, 2.5) / Width)) + 1};
    const std::vector<double> shares = binShares(entropies, bins, entropies.size());
    report::BarChart chart{.title = fmt::format("Entropy of the actions for devices, {}; mean {:.2f} nats",
                                                objectText(task), intervalMean(entropies).mean),
                           .yTitle = "graphs, %",
                           .width = HalfWidth,
                           .height = 280.0,
                           .groups = {},
                           .series = {{"graphs", 0, {}}}};
    for (std::size_t i = 0; i < bins.count; ++i) {
        chart.groups.push_back(bins.text(i));
        chart.series[0].bars.push_back(shares[i] > 0.0 ? std::optional(report::Bar{.value = shares[i]}) : std::nullopt);
    }
    return report::svgBars(chart);
}

std::string roundsChart(const RegalResults& results) {
    report::BarChart chart{.title = "Best gain on validation graphs by rounds of messages",
                           .yTitle = "gain, %",
                           .width = HalfWidth,
                           .height = 280.0,
                           .groups = {},
                           .series = {}};
    std::set<std::uint32_t> rounds;
    constexpr std::array Objectives{placement::Objective::Memory, placement::Objective::Runtime};
    for (const placement::Objective objective : Objectives) {
        for (const RegalModel* const model : bestByRounds(results, objective)) rounds.insert(model->model.shape.rounds);
    }
    for (const std::uint32_t one : rounds) chart.groups.push_back(fmt::format("T = {}", one));
    std::size_t style = 0;
    for (const placement::Objective objective : Objectives) {
        report::BarSeries series{objective == placement::Objective::Memory ? "peak memory" : "run time", style++, {}};
        const std::vector<const RegalModel*> models = bestByRounds(results, objective);
        for (const std::uint32_t one : rounds) {
            const auto found =
                std::ranges::find_if(models, [&](const RegalModel* model) { return model->model.shape.rounds == one; });
            series.bars.push_back(
                found == models.end()
                    ? std::nullopt
                    : std::optional(report::Bar{.value = report::Percent * (*found)->bestPoint()->improvement}));
        }
        if (!models.empty()) chart.series.push_back(std::move(series));
    }
    return report::svgBars(chart);
}

std::string trainingChart(const RegalResults& results, placement::Objective objective) {
    report::Chart chart{.title = fmt::format("Training: highest gain on validation graphs so far, {}",
                                             objective == placement::Objective::Memory ? "peak memory" : "run time"),
                        .xTitle = "seconds of training",
                        .yTitle = "gain, %",
                        .steps = true,
                        .endLabels = true,
                        .width = HalfWidth,
                        .height = 300.0,
                        .series = {}};
    std::size_t style = 0;
    for (const RegalMethodInfo& info : regalMethods()) {
        if (info.role == RegalRole::None) continue;
        const RegalModel* const model = results.models().find(objective, info.role);
        if (model == nullptr || model->model.curve.empty()) continue;
        report::ChartSeries series{info.name, style++, {}};
        double gain = report::Percent * model->model.curve.front().improvement;
        for (const learned::CurvePoint& point : model->model.curve) {
            gain = std::max(gain, report::Percent * point.improvement);
            // The first validation is before all training, whatever time it took itself.
            series.points.push_back({point.step == 0 ? 0.0 : point.seconds, gain, gain, gain});
        }
        chart.series.push_back(std::move(series));
    }
    return report::svgChart(chart);
}

std::string secondsChart(const RegalResults& results) {
    report::BarChart chart{.title = "Seconds of one search on one processor, with its network, by method",
                           .yTitle = "seconds",
                           .groups = {},
                           .series = {}};
    std::vector<RegalMethod> methods;
    for (const RegalMethodInfo& info : regalMethods()) {
        const bool hasRuns = std::ranges::any_of(PaperTasks, [&](RegalTask task) {
            return results.has(usualKey(results.plan(), task, RegalSet::Unseen, info.method));
        });
        if (hasRuns) methods.push_back(info.method);
    }
    for (const RegalMethod method : methods) chart.groups.emplace_back(infoOf(method).name);
    std::size_t style = 0;
    for (const RegalTask task : PaperTasks) {
        report::BarSeries series{objectText(task), style++, {}};
        for (const RegalMethod method : methods) {
            const auto summary = results.summary(usualKey(results.plan(), task, RegalSet::Unseen, method));
            series.bars.push_back(
                summary ? std::optional(report::Bar{.value = summary->seconds + summary->inferenceSeconds})
                        : std::nullopt);
        }
        chart.series.push_back(std::move(series));
    }
    return report::svgBars(chart);
}

}  // namespace

std::string methodSeconds(const RegalResults& results) { return secondsChart(results); }

std::string gainHistograms(const RegalResults& results) {
    std::string figures;
    for (const RegalTask task : PaperTasks) figures += gainHistogram(results, task);
    return sideBySide(figures);
}

std::string evaluationCharts(const RegalResults& results) {
    std::string figures;
    for (const RegalTask task : PaperTasks) figures += evaluationChart(results, task);
    return sideBySide(figures);
}

std::string entropyHistograms(const RegalResults& results) {
    std::string figures;
    for (const RegalTask task : PaperTasks) figures += entropyHistogram(results, task);
    return sideBySide(figures);
}

std::string trainingCharts(const RegalResults& results) {
    std::string figures = roundsChart(results);
    for (const placement::Objective objective : {placement::Objective::Memory, placement::Objective::Runtime})
        figures += trainingChart(results, objective);
    return sideBySide(figures);
}

}  // namespace mitos::search::experiments
