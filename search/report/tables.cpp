// SPDX-License-Identifier: GPL-3.0-or-later
// The report's tables and the charts over all programs.
#include "search/report/internal/html.h"
#include "search/report/internal/sections.h"
#include "search/report/internal/svg_chart.h"

#include <fmt/format.h>

#include <set>

namespace mitos::search::report {

namespace {

std::string quartiles(const Spread& spread) {
    return spread.lower == spread.upper ? number(spread.median)
                                        : fmt::format("{} <span class=soft>[{}, {}]</span>", number(spread.median),
                                                      number(spread.lower), number(spread.upper));
}

std::string stopReasons(const Cell& cell) {
    std::set<std::string> reasons;
    for (const ComparedRun* each : cell.runs) reasons.insert(each->run.stop);
    return fmt::format("{}", fmt::join(reasons, ", "));
}

std::string valuesText(rewrite::Values values) {
    switch (values) {
        case rewrite::Values::Same: return "<span class=good>yes</span>";
        case rewrite::Values::Different: return "<span class=bad>NO</span>";
        case rewrite::Values::NotCompared: return "not compared";
    }
    return {};
}

std::string failureOf(const Material& material, const Cell& cell) {
    for (std::size_t k = 0; k < material.comparison.seeds.size(); ++k) {
        const Run& run = material.comparison.run(cell.program, cell.strategy, cell.budget, k).run;
        if (run.state == RunState::Failed) return "<span class=bad>" + escaped(run.stop) + "</span>";
    }
    return "not run";
}

std::string cellTable(const Material& material, bool lastBudgetOnly) {
    const Comparison& comparison = material.comparison;
    Table table({"Program", "Strategy", "Budget", "#Initial", "#Best", "#Median over seeds", "#Steps",
                 "#Evaluations to best", "#Seconds to best", "#Seconds", "Ended by", "Thread checked", "Equivalent"});
    for (const Cell& cell : material.cells) {
        if (lastBudgetOnly && cell.budget + 1 != comparison.budgets.size()) continue;
        const std::string program = escaped(comparison.programs[cell.program].name);
        const std::string strategy = escaped(comparison.strategies[cell.strategy].name);
        const std::string budget = escaped(toString(comparison.budgets[cell.budget]));
        if (cell.bestRun == nullptr) {
            table.add({program, strategy, budget, "", "", "", "", "", "", "", failureOf(material, cell), "", ""});
            continue;
        }
        table.add({fmt::format("<a href=\"#program-{}\">{}</a>", cell.program + 1, program), strategy, budget,
                   number(cell.bestRun->run.initialCost), number(cell.cost.least), quartiles(cell.cost),
                   fmt::format("{}", cell.bestRun->steps.size()), fmt::format("{:.0f}", cell.evaluationsToBest),
                   seconds(cell.secondsToBest), seconds(cell.seconds), stopReasons(cell),
                   cell.allChecked ? "<span class=good>yes</span>" : "<span class=bad>NO</span>",
                   valuesText(cell.values)});
    }
    return table.html();
}

/// The totals of each strategy over the budgets.
std::string budgetChart(const Material& material) {
    Chart chart{.title = "Total cost over the budget of evaluations: median over seeds, quartiles shaded.",
                .xTitle = "evaluations allowed to each search",
                .yTitle = "total cost",
                .logX = true,
                .series = {}};
    for (std::size_t s = 0; s < material.comparison.strategies.size(); ++s) {
        ChartSeries& series = chart.series.emplace_back();
        series.label = material.comparison.strategies[s].name;
        series.style = s;
        for (const Total& total : material.totals) {
            const auto& evaluations = material.comparison.budgets[total.budget].evaluations;
            if (total.strategy != s || !evaluations) continue;
            series.points.push_back(
                {static_cast<double>(*evaluations), total.cost.lower, total.cost.median, total.cost.upper});
        }
    }
    return svgChart(chart);
}

}  // namespace

std::vector<std::string> Material::strategyNames() const {
    std::vector<std::string> names;
    for (const Comparison::Contestant& contestant : comparison.strategies) names.push_back(contestant.name);
    return names;
}

std::string bestSoFarCharts(const Material& material, const std::vector<std::size_t>& programs,
                            const std::string& what) {
    std::string html;
    for (const Axis axis : {Axis::Evaluations, Axis::Seconds}) {
        const bool time = axis == Axis::Seconds;
        Chart chart{.title = fmt::format("{} over {}: median over seeds, quartiles shaded.", what,
                                         time ? "time" : "evaluations"),
                    .xTitle = time ? "seconds of each search" : "evaluations of each search",
                    .yTitle = "best cost so far",
                    .logX = true,
                    .steps = true,
                    .series = {}};
        for (std::size_t s = 0; s < material.comparison.strategies.size(); ++s) {
            const auto groups = groupsOf(material.comparison, programs, s, material.comparison.budgets.size() - 1);
            if (groups.empty()) continue;
            ChartSeries& series = chart.series.emplace_back();
            series.label = material.comparison.strategies[s].name;
            series.style = s;
            for (const BandPoint& point : bandOf(groups, axis)) {
                series.points.push_back({point.x, point.y.lower, point.y.median, point.y.upper});
            }
        }
        html += svgChart(chart);
    }
    return html;
}

std::string totalsSection(const Material& material) {
    const Comparison& comparison = material.comparison;
    if (material.totals.empty() || comparison.programs.size() < 2) return {};
    const std::vector<std::size_t> programs = completePrograms(comparison);
    std::string html = fmt::format(
        "<h2>Totals</h2>\n<p>Sums over {} of {} programs{}. <em>Best</em> takes the best seed of each program, "
        "<em>median</em> is that of the seeds' totals, with quartiles.</p>\n",
        programs.size(), comparison.programs.size(),
        programs.size() < comparison.programs.size() ? ", those that every strategy finished" : "");
    Table table({"Strategy", "Budget", "#Initial", "#Best", "#Median over seeds", "#Evaluations", "#Seconds"});
    for (const Total& total : material.totals) {
        table.add({escaped(comparison.strategies[total.strategy].name),
                   escaped(toString(comparison.budgets[total.budget])), number(total.initial), number(total.best),
                   quartiles(total.cost), fmt::format("{}", total.evaluations), seconds(total.seconds)});
    }
    html += table.html() + legend(material.strategyNames()) + "<div class=charts>";
    html += bestSoFarCharts(material, programs, "Total of the best so far");
    if (comparison.budgets.size() > 1) html += budgetChart(material);
    return html + "</div>\n";
}

std::string summarySection(const Material& material) {
    const bool several = material.comparison.budgets.size() > 1;
    std::string html = fmt::format("<h2>Programs</h2>\n{}{}", several ? "<p>Under the last budget.</p>\n" : "",
                                   cellTable(material, several));
    if (several) html += folded("Under every budget", cellTable(material, false));
    return html;
}

std::string strategiesSection(const Material& material) {
    Table table({"Strategy", "What", "Parameters"});
    for (const Comparison::Contestant& contestant : material.comparison.strategies) {
        std::vector<std::string> values;
        for (const auto& [name, value] : contestant.parameters) values.push_back(name + " = " + parameterText(value));
        table.add(
            {escaped(contestant.name), escaped(contestant.title), escaped(fmt::format("{}", fmt::join(values, ", ")))});
    }
    return "<h2>Strategies</h2>\n" + table.html();
}

}  // namespace mitos::search::report
