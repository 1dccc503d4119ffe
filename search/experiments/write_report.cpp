// SPDX-License-Identifier: GPL-3.0-or-later
// The page.
#include "search/experiments/write_report.h"

#include "search/report/html.h"
#include "search/report/svg_bars.h"
#include "search/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::search::experiments {

namespace {

using namespace report;

std::string label(std::size_t approach) { return std::string(approaches()[approach].label); }

std::string plusMinus(const std::string& mean, const std::string& deviation, bool hasDeviation) {
    return hasDeviation ? fmt::format("{} <small>± {}</small>", mean, deviation) : mean;
}
std::string gainText(double mean, double deviation, bool hasDeviation) {
    const std::string text = fmt::format("{}{:.2f} %", mean < 0 ? "−" : "", std::abs(mean));
    return plusMinus(text, fmt::format("{:.2f}", deviation), hasDeviation);
}
std::string gainCell(const Measure& gain) {
    const std::string text = gainText(gain.mean, gain.deviation, gain.count > 1);
    return gain.mean < -1e-6 ? "<span class=\"worse\">" + text + "</span>" : text;
}
std::string timeCell(const Measure& seconds) {
    return plusMinus(durationText(seconds.mean), durationText(seconds.deviation), seconds.count > 1);
}

std::string initialTable(const ExperimentPlan& plan, const ExperimentResults& results) {
    const std::string unit = plan.cost->info().unit;
    Table table({"Network", "#ILP (" + unit + ")", "#Default cost function", "#Paper's cost function",
                 "#Paper: ILP (ms)", "#Paper: default", "#Paper: its own"});
    for (const InitialCosts& costs : results.initial) {
        const auto paper = plan.paper.initialCostsOf(plan.paperDevice, costs.program);
        const auto ofPaper = [&](auto value) { return paper ? fmt::format("{:.6g}", *paper.*value) : std::string(); };
        const auto cell = [](double cost, bool isExact) {
            const std::string text = costText(cost);
            return isExact ? text : "<span class=\"worse\">" + text + "</span>";
        };
        table.add({escaped(costs.program), costText(costs.exact) + (costs.isProven ? "" : " <small>not proven</small>"),
                   cell(costs.tree, costs.isTreeExact()), cell(costs.paper, costs.isPaperExact()),
                   ofPaper(&PaperInitialCosts::exact), ofPaper(&PaperInitialCosts::tree),
                   ofPaper(&PaperInitialCosts::paper)});
    }
    return table.html();
}

std::string resultTable(const std::vector<ResultRow>& rows, bool hasBudgets) {
    Table table({"Network", "Approach", hasBudgets ? "#Budget" : "#k_multi", "#Runs", "#Gain", "#Gain of the result",
                 "#Time", "#E-nodes", "Remarks", "#Paper: gain", "#Paper: time"});
    std::string last;
    for (const ResultRow& row : rows) {
        std::vector<std::string> remarks;
        if (row.outOfTime > 0) remarks.push_back(fmt::format("{} ended by the time limit", row.outOfTime));
        if (row.checked < row.gain.count)
            remarks.push_back(fmt::format("{} not checked", row.gain.count - row.checked));
        const std::string third = hasBudgets                ? fmt::format("{}", row.budget)
                                  : row.multiIterations > 0 ? fmt::format("{}", row.multiIterations)
                                                            : std::string();
        const bool isOfPaper = row.paper && !hasBudgets;
        table.add({row.program == last ? std::string() : "<strong>" + escaped(row.program) + "</strong>",
                   "<span class=\"who\">" + escaped(label(row.approach)) + "</span>", third,
                   fmt::format("{}", row.gain.count), gainCell(row.gain), gainCell(row.resultGain),
                   timeCell(row.seconds), countText(row.nodes.mean),
                   escaped(fmt::format("{}", fmt::join(remarks, ", "))),
                   isOfPaper ? gainText(row.paper->gain.mean, row.paper->gain.deviation, true) : std::string(),
                   isOfPaper ? plusMinus(fmt::format("{} s", row.paper->seconds.mean),
                                         fmt::format("{} s", row.paper->seconds.deviation), true)
                             : std::string()});
        last = row.program;
    }
    return table.html();
}

/// Two charts: gain and time, each with the paper's beside ours.
std::string meanCharts(const std::vector<ApproachMean>& means, const std::string& over) {
    const auto chartOf = [&](const std::string& title, const std::string& unit, const auto& ours, const auto& papers) {
        BarChart chart{
            .title = title + over, .yTitle = unit, .width = 540.0, .height = 300.0, .groups = {}, .series = {}};
        chart.series = {{"Mitos", 0, {}}, {"paper", 1, {}}};
        for (const ApproachMean& mean : means) {
            chart.groups.push_back(label(mean.approach));
            chart.series[0].bars.emplace_back(Bar{ours(mean)});
            chart.series[1].bars.push_back(mean.paper ? std::optional(Bar{papers(mean)}) : std::nullopt);
        }
        return svgBars(chart);
    };
    return "<div class=\"charts\">" +
           chartOf(
               "Mean gain", "%", [](const ApproachMean& m) { return m.gain; },
               [](const ApproachMean& m) { return m.paper->gain; }) +
           chartOf(
               "Mean time", "s", [](const ApproachMean& m) { return m.seconds; },
               [](const ApproachMean& m) { return m.paper->seconds; }) +
           "</div>\n";
}

std::string overPrograms(const std::vector<ApproachMean>& means) {
    return means.empty() ? std::string()
                         : fmt::format(" over {}", plural(means.front().programs, "network", "networks"));
}

/// Gain and time of approaches by network.
std::string networkCharts(const ExperimentPlan& plan, const Summary& summary, std::span<const std::string_view> names) {
    BarChart gains{.title = "Gain by network: the line at the end of a bar is the standard deviation over the seeds",
                   .yTitle = "%",
                   .groups = {},
                   .series = {}};
    BarChart times{.title = "Time by network", .yTitle = "s", .groups = {}, .series = {}};
    for (const ComparisonPlan::Subject& subject : plan.programs) gains.groups.push_back(subject.name);
    times.groups = gains.groups;
    for (const std::string_view name : names) {
        const std::size_t approach = approachNamed(name);
        BarSeries gain{label(approach), gains.series.size(), {}};
        BarSeries time = gain;
        for (const ComparisonPlan::Subject& subject : plan.programs) {
            const ResultRow* const row = summary.row(subject.name, name);
            const auto barOf = [row](const Measure ResultRow::*measure) {
                return row == nullptr ? std::nullopt
                                      : std::optional(Bar{(row->*measure).mean, (row->*measure).deviation});
            };
            gain.bars.push_back(barOf(&ResultRow::gain));
            time.bars.push_back(barOf(&ResultRow::seconds));
        }
        gains.series.push_back(std::move(gain));
        times.series.push_back(std::move(time));
    }
    return svgBars(gains) + svgBars(times);
}

std::string heatmapSection(const ExperimentPlan& plan, const RuleUse& use) {
    const auto paper = plan.paper.rulesUsedBy(approaches()[use.approach].name);
    const std::string used =
        fmt::format("{} of {} rules were applied on {}", use.rules.size(), plan.rules.directions.size(),
                    plural(use.programs.size(), "network", "networks"));
    const std::string beside =
        paper ? fmt::format("; the paper: {} of {} on 13", *paper, plan.paper.rules) : std::string();
    return svgHeatmap(
        {.title = fmt::format("{}: the number of iterations that applied each rule, in the run with seed 1. {}{}. "
                              "Each direction of a rule counts as a rule.",
                              label(use.approach), used, beside),
         .rows = use.rules,
         .columns = use.programs,
         .counts = use.counts});
}

std::string budgetCharts(const Summary& summary) {
    Chart gains{.title = "Gain over the search budget, mean over the seeds",
                .xTitle = "search budget",
                .yTitle = "%",
                .endLabels = true,
                .width = 540.0,
                .height = 330.0,
                .series = {}};
    Chart times = gains;
    times.title = "Time over the search budget, mean over the seeds";
    times.yTitle = "s";
    const auto point = [](std::uint32_t budget, const Measure& measure) {
        const double low = measure.mean - measure.deviation;
        return ChartPoint{static_cast<double>(budget), low, measure.mean, measure.mean + measure.deviation};
    };
    for (const ResultRow& row : summary.budgets) {
        if (gains.series.empty() || gains.series.back().label != row.program) {
            gains.series.push_back({row.program, gains.series.size(), {}});
            times.series.push_back({row.program, times.series.size(), {}});
        }
        gains.series.back().points.push_back(point(row.budget, row.gain));
        times.series.back().points.push_back(point(row.budget, {row.seconds.mean, 0.0, row.seconds.count}));
    }
    return "<div class=\"charts\">" + svgChart(gains) + svgChart(times) + "</div>\n";
}

constexpr const char* Differences = R"(<dl>
<dt>Costs</dt><dd>The paper sums the times of single operators that TASO measured on an A100 or a P100, anew in every run. Here a cost model gives
them; it is deterministic, so gains vary over seeds only with the choices of the search.</dd>
<dt>Rules</dt><dd>The paper applies the 139 rules of TASO and TENSAT, some of which are unsound for grouped convolutions. Unless the list
below names others, the rules here are our own, which are more, and checked.</dd>
<dt>Gain</dt><dd>The part of the start's cost that the program saves which the final method extracts from the last e-graph: the paper's
"runtime speedup". It may be negative. The gain of the result is that of the cheapest program with a thread that the
independent checker has accepted; at worst it is the start.</dd>
<dt>Time</dt><dd>Growth of the e-graph and final extraction on a CPU; recording, and the construction of the thread, do not count. TENSAT
does not depend on chance and runs once; its time is that of the k_multi in use. With several searches at a time, they share the
processor.</dd>
<dt>DCF, OCF, ILP</dt><dd>The method that prices e-graphs on the way, then that of the final extraction. DCF: egg's default cost function,
which counts a shared node at each use; OCF: the paper's; ILP: exact, by branch and bound and the solver CBC instead of SCIP.</dd>
<dt>Tree search</dt><dd>As in the paper, what simulations meet is discarded. Where the paper leaves a choice, see the description of
egraph-mcts.</dd>
</dl>
)";

/// A section of the page, if its part is wanted.
void addSection(ReportPage& page, const ExperimentPlan& plan, Part part, std::string content) {
    if (!plan.parts.contains(part)) return;
    const auto info = std::ranges::find(allParts(), part, &PartInfo::part);
    page.sections.push_back(
        {std::string(info->name), std::string(info->titleFor(plan.paperDevice)), std::move(content)});
}

/// Gains here and there, beside the paper's.
std::string deviceTable(const ExperimentPlan& plan, const Summary& summary) {
    if (summary.devices.empty()) return "<p class=\"soft\">The experiments share no runs.</p>";
    Table table({"Network", "Approach", "#Gain under " + escaped(plan.costName),
                 "#Gain under " + escaped(plan.beside->cost), "#Paper: A100", "#Paper: P100"});
    std::string last;
    for (const DeviceRow& row : summary.devices) {
        const auto ofPaper = [](const std::optional<double>& gain) {
            return gain ? gainText(*gain, 0.0, false) : std::string();
        };
        table.add({row.program == last ? std::string() : "<strong>" + escaped(row.program) + "</strong>",
                   "<span class=\"who\">" + escaped(label(row.approach)) + "</span>", gainCell(row.here),
                   gainCell(row.there), ofPaper(row.paperA100), ofPaper(row.paperP100)});
        last = row.program;
    }
    return table.html();
}

/// Where the plan is smaller than the paper's.
std::string settingsText(const ExperimentPlan& plan) {
    const ExperimentPlan paper;
    std::vector<std::string> smaller;
    const auto compare = [&smaller](const char* what, auto ours, auto theirs) {
        if (ours != theirs) smaller.push_back(fmt::format("{} {} instead of {}", what, ours, theirs));
    };
    compare("search budget", plan.budget, paper.budget);
    compare("repetitions", plan.repetitions, paper.repetitions);
    compare("e-nodes", plan.nodes, paper.nodes);
    if (smaller.empty()) return {};
    return fmt::format("<p>These settings differ from the paper's: {}.</p>\n", fmt::join(smaller, ", "));
}

std::vector<std::string> warnings(const ExperimentResults& results) {
    std::vector<std::string> warnings;
    if (results.runs.size() < results.wanted) {
        warnings.push_back(
            fmt::format("{} of {} runs have ended; the others are missing from all numbers. The same command goes on.",
                        results.runs.size(), results.wanted));
    }
    const auto outOfTime = std::ranges::count_if(results.runs, &RunRecord::isOutOfTime);
    if (outOfTime > 0) {
        warnings.push_back(
            fmt::format("The time limit ended {} of {} runs; their e-graphs would have grown further, or the last "
                        "extraction was not finished.",
                        outOfTime, results.runs.size()));
    }
    for (const auto& [name, reason] : results.failures) warnings.push_back(fmt::format("{}: {}", name, reason));
    return warnings;
}

}  // namespace

ReportPage pageOf(const ExperimentPlan& plan, const ExperimentResults& results, const Summary& summary) {
    ReportPage page{
        .title = "Saturation guided by tree search: the paper's evaluation, repeated",
        .subtitle = fmt::format("{}, {} of {} runs", plural(plan.programs.size(), "network", "networks"),
                                results.runs.size(), results.wanted),
        .warnings = warnings(results),
        .introduction = fmt::format("<p>The paper's numbers are those of its {}.</p>\n", toString(plan.paperDevice)) +
                        settingsText(plan),
        .sections = {},
        .closing = "<h2>What differs from the paper</h2>\n" + std::string(Differences)};
    addSection(page, plan, Part::Table1, results.initial.empty() ? "" : initialTable(plan, results));
    addSection(page, plan, Part::Table2, summary.rows.empty() ? "" : resultTable(summary.rows, false));
    addSection(page, plan, Part::Figure5,
               summary.figure5.empty() ? "" : meanCharts(summary.figure5, overPrograms(summary.figure5)));
    addSection(page, plan, Part::Figure6,
               summary.figure6.empty() ? ""
                                       : meanCharts(summary.figure6, overPrograms(summary.figure6)) +
                                             networkCharts(plan, summary, figure6Approaches()));
    for (const auto& [part, name] : {std::pair(Part::Figure7, "tensat"), std::pair(Part::Figure8, "mcts-ilp-ilp"),
                                     std::pair(Part::Figure10, "mcts-ocf-ilp")}) {
        const auto use = std::ranges::find(summary.rules, approachNamed(name), &RuleUse::approach);
        addSection(page, plan, part, use == summary.rules.end() ? "" : heatmapSection(plan, *use));
    }
    addSection(
        page, plan, Part::Budgets,
        summary.budgets.empty() ? "" : budgetCharts(summary) + folded("Numbers", resultTable(summary.budgets, true)));
    if (plan.beside) {
        page.sections.push_back(
            {"devices", "Independence of the device: Figures 6 and 14", deviceTable(plan, summary)});
    }
    return page;
}

}  // namespace mitos::search::experiments
