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
        if (best == nullptr || cell.bestRun->bestCost < best->bestRun->bestCost) best = &cell;
    }
    return best;
}

std::string pathChart(const RunRecord& run) {
    Chart chart{.title = "Cost along the best thread, step by step; the red dot is its peak.",
                .xTitle = "step",
                .yTitle = "cost",
                .markPeak = true,
                .series = {{.label = "cost", .style = 0, .points = {}}}};
    for (std::size_t i = 0; i < run.costs.size(); ++i) {
        chart.series.front().points.push_back({static_cast<double>(i), run.costs[i], run.costs[i], run.costs[i]});
    }
    return svgChart(chart);
}

std::string threadText(const RunRecord& run) {
    std::string text = fmt::format("      {:<58} cost {}\n", "start", number(run.costs.front()));
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        text += fmt::format("{:>4}. {:<58} cost {}\n", i + 1, run.steps[i].rule + "@" + run.steps[i].position,
                            number(run.costs[i + 1]));
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
    const RunRecord& run = *best->bestRun;
    html += fmt::format("<p>From {} to <strong>{}</strong> in {} steps, by {} with seed {} ({}).{}</p>\n",
                        number(run.initialCost), number(run.bestCost), run.steps.size(),
                        escaped(comparison.strategies[run.strategy].name), comparison.seeds[run.seed],
                        escaped(toString(comparison.budgets[run.budget])),
                        " <span class=soft>" + escaped(run.verdict.toString()) + "</span>");
    html += legend(material.strategyNames()) + "<div class=charts>" +
            bestSoFarCharts(material, {program}, "Best so far") + (run.steps.empty() ? "" : pathChart(run)) +
            "</div>\n";
    html += folded(fmt::format("The best program and its thread ({} steps)", run.steps.size()),
                   "<pre>" + escaped(run.best) + "</pre>\n<pre>" + escaped(threadText(run)) + "</pre>\n");
    return html + folded("The input", "<pre>" + escaped(comparison.programs[program].text) + "</pre>\n");
}

}  // namespace mitos::search::report
