// SPDX-License-Identifier: GPL-3.0-or-later
// One program of the report: curves, the path of the best thread, the best program.
#include "search/report/internal/html.h"
#include "search/report/internal/sections.h"
#include "search/report/internal/svg_chart.h"

#include <fmt/format.h>

namespace mitos::search::report {

namespace {

/// The cell with the least cost over all strategies and budgets; null if no run is done.
const Cell* bestCell(const Material& material, std::size_t program) {
    const Cell* best = nullptr;
    for (const Cell& cell : material.cells) {
        if (cell.program != program || cell.bestRun == nullptr) continue;
        if (best == nullptr || cell.bestRun->run.bestCost < best->bestRun->run.bestCost) best = &cell;
    }
    return best;
}

std::string pathChart(const std::vector<double>& costs) {
    Chart chart{.title = "Cost along the best thread, step by step; the red dot is its peak.",
                .xTitle = "step",
                .yTitle = "cost",
                .markPeak = true,
                .series = {{.label = "cost", .style = 0, .points = {}}}};
    for (std::size_t i = 0; i < costs.size(); ++i) {
        chart.series.front().points.push_back({static_cast<double>(i), costs[i], costs[i], costs[i]});
    }
    return svgChart(chart);
}

std::string threadText(const ComparedRun& run) {
    std::string text = fmt::format("      {:<58} cost {}\n", "start", number(run.costs.front()));
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        text += fmt::format("{:>4}. {:<58} cost {}\n", i + 1, run.steps[i], number(run.costs[i + 1]));
    }
    return text;
}

}  // namespace

std::string programSection(const Material& material, std::size_t program) {
    const Comparison& comparison = material.comparison;
    std::string html =
        fmt::format("<h3 id=\"program-{}\">{}</h3>\n", program + 1, escaped(comparison.programs[program].name));
    const Cell* best = bestCell(material, program);
    if (best == nullptr) return html + "<p>Not run.</p>\n";
    const ComparedRun& found = *best->bestRun;
    const Run& run = found.run;
    html +=
        fmt::format("<p>From {} to <strong>{}</strong> in {} steps, by {} with seed {} ({}).{}</p>\n",
                    number(run.initialCost), number(run.bestCost), found.steps.size(), escaped(run.strategy), run.seed,
                    escaped(toString(run.budget)), " <span class=soft>" + escaped(run.verdict->toString()) + "</span>");
    html += legend(material.strategyNames()) + "<div class=charts>" +
            bestSoFarCharts(material, {program}, "Best so far") + (found.steps.empty() ? "" : pathChart(found.costs)) +
            "</div>\n";
    html += folded(fmt::format("The best program and its thread ({} steps)", found.steps.size()),
                   "<pre>" + escaped(found.best) + "</pre>\n<pre>" + escaped(threadText(found)) + "</pre>\n");
    return html + folded("The input", "<pre>" + escaped(comparison.programs[program].text) + "</pre>\n");
}

}  // namespace mitos::search::report
