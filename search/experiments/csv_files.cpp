// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment as CSV files.
#include "search/experiments/csv_table.h"
#include "search/experiments/write_report.h"

#include <fmt/format.h>

#include <initializer_list>

namespace mitos::search::experiments {

namespace {

std::string number(double value) { return CsvTable::number(value); }
std::string nameOf(std::size_t approach) { return std::string(approaches()[approach].name); }

std::string table1(const ExperimentPlan& plan, const ExperimentResults& results) {
    CsvTable csv({"program", "cost", "ilp", "default_cost_function", "paper_cost_function", "paper_ilp_ms",
                  "paper_default_ms", "paper_ours_ms"});
    for (const InitialCosts& costs : results.initial) {
        std::vector<std::string> cells{costs.program, number(costs.cost), number(costs.exact), number(costs.tree),
                                       number(costs.paper)};
        const auto paper = plan.paper.initialCostsOf(plan.paperDevice, costs.program);
        for (const auto value : {&PaperInitialCosts::exact, &PaperInitialCosts::tree, &PaperInitialCosts::paper}) {
            cells.push_back(paper ? number(*paper.*value) : std::string());
        }
        csv.add(cells);
    }
    return csv.text();
}

std::string rowsCsv(const std::vector<ResultRow>& rows) {
    CsvTable csv({"program", "approach", "search_budget", "k_multi", "runs", "initial_cost", "gain_percent_mean",
                  "gain_percent_sd", "result_gain_percent_mean", "seconds_mean", "seconds_sd", "nodes_mean",
                  "threads_checked", "out_of_time", "paper_gain_percent_mean", "paper_gain_percent_sd",
                  "paper_seconds_mean", "paper_seconds_sd", "paper_k_multi"});
    for (const ResultRow& row : rows) {
        std::vector<std::string> cells{row.program,
                                       nameOf(row.approach),
                                       fmt::format("{}", row.budget),
                                       fmt::format("{}", row.multiIterations),
                                       fmt::format("{}", row.gain.count),
                                       number(row.initialCost),
                                       number(row.gain.mean),
                                       number(row.gain.deviation),
                                       number(row.resultGain.mean),
                                       number(row.seconds.mean),
                                       number(row.seconds.deviation),
                                       number(row.nodes.mean),
                                       fmt::format("{}", row.checked),
                                       fmt::format("{}", row.outOfTime)};
        if (row.paper) {
            for (const PaperMeasure& measure : {row.paper->gain, row.paper->seconds}) {
                cells.push_back(number(measure.mean));
                cells.push_back(number(measure.deviation));
            }
            cells.push_back(fmt::format("{}", row.paper->multiIterations));
        } else {
            cells.insert(cells.end(), 5, std::string());
        }
        csv.add(cells);
    }
    return csv.text();
}

std::string meansCsv(const std::vector<ApproachMean>& means) {
    CsvTable csv({"approach", "search_budget", "programs", "gain_percent_mean", "seconds_mean",
                  "paper_gain_percent_mean", "paper_seconds_mean"});
    for (const ApproachMean& mean : means) {
        csv.add({nameOf(mean.approach), fmt::format("{}", mean.budget), fmt::format("{}", mean.programs),
                 number(mean.gain), number(mean.seconds), mean.paper ? number(mean.paper->gain) : std::string(),
                 mean.paper ? number(mean.paper->seconds) : std::string()});
    }
    return csv.text();
}

std::string devicesCsv(const std::vector<DeviceRow>& rows) {
    CsvTable csv({"program", "approach", "gain_percent_mean", "gain_percent_sd", "other_gain_percent_mean",
                  "other_gain_percent_sd", "out_of_time", "paper_a100_gain_percent", "paper_p100_gain_percent"});
    const auto optional = [](const std::optional<double>& value) { return value ? number(*value) : std::string(); };
    for (const DeviceRow& row : rows) {
        csv.add({row.program, nameOf(row.approach), number(row.here.mean), number(row.here.deviation),
                 number(row.there.mean), number(row.there.deviation), fmt::format("{}", row.outOfTime),
                 optional(row.paperA100), optional(row.paperP100)});
    }
    return csv.text();
}

std::string heatmapCsv(const RuleUse& use) {
    std::vector<std::string> titles{"rule"};
    titles.insert(titles.end(), use.programs.begin(), use.programs.end());
    CsvTable csv(titles);
    for (std::size_t rule = 0; rule < use.rules.size(); ++rule) {
        std::vector<std::string> cells{use.rules[rule]};
        for (const std::uint64_t count : use.counts[rule]) cells.push_back(fmt::format("{}", count));
        csv.add(cells);
    }
    return csv.text();
}

std::string runsCsv(const ExperimentResults& results) {
    CsvTable csv({"program", "approach", "search_budget", "seed", "k_multi", "initial_cost", "extracted_cost",
                  "best_cost", "gain_percent", "seconds", "thread_seconds", "steps", "thread_checked", "stop",
                  "out_of_time", "nodes", "iterations", "rules_used"});
    for (const RunRecord& run : results.runs) {
        csv.add({run.program, run.approach, fmt::format("{}", run.budget), fmt::format("{}", run.seed),
                 fmt::format("{}", run.multiIterations), number(run.initialCost), number(run.extractedCost),
                 number(run.bestCost), number(run.gain()), number(run.seconds), number(run.threadSeconds),
                 fmt::format("{}", run.steps), run.isChecked ? "true" : "false", run.stop,
                 run.isOutOfTime ? "true" : "false", fmt::format("{}", run.nodes()),
                 fmt::format("{}", run.iterations.size()), fmt::format("{}", run.rulesUsed().size())});
    }
    return csv.text();
}

}  // namespace

std::vector<ExperimentFile> csvFiles(const ExperimentPlan& plan, const ExperimentResults& results,
                                     const Summary& summary) {
    std::vector<ExperimentFile> files{{"runs.csv", runsCsv(results)}};
    const auto add = [&](Part part, const char* name, const auto& text) {
        if (plan.parts.contains(part)) files.push_back({name, text()});
    };
    add(Part::Table1, "table1.csv", [&] { return table1(plan, results); });
    add(Part::Table2, "table2.csv", [&] { return rowsCsv(summary.rows); });
    add(Part::Figure5, "figure5.csv", [&] { return meansCsv(summary.figure5); });
    add(Part::Figure6, "figure6.csv", [&] { return meansCsv(summary.figure6); });
    add(Part::Budgets, "budgets.csv", [&] { return rowsCsv(summary.budgets); });
    add(Part::Budgets, "budgets-mean.csv", [&] { return meansCsv(summary.byBudget); });
    if (plan.beside) files.push_back({"devices.csv", devicesCsv(summary.devices)});
    for (const RuleUse& use : summary.rules) {
        files.push_back({fmt::format("rules-{}.csv", nameOf(use.approach)), heatmapCsv(use)});
    }
    return files;
}

}  // namespace mitos::search::experiments
