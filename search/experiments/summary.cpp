// SPDX-License-Identifier: GPL-3.0-or-later
// See summary.h.
#include "search/experiments/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mitos::search::experiments {

namespace {

using Runs = std::vector<const RunRecord*>;

Measure measureOver(const Runs& runs, const auto& number) {
    std::vector<double> values;
    for (const RunRecord* run : runs) values.push_back(number(*run));
    return experiments::measureOf(values);
}

std::optional<ResultRow> rowOf(const Runs& runs, std::size_t approach, const ExperimentPlan& plan) {
    if (runs.empty()) return std::nullopt;
    const RunRecord& first = *runs.front();
    ResultRow row{.program = first.program,
                  .approach = approach,
                  .budget = first.budget,
                  .initialCost = first.initialCost,
                  .gain = measureOver(runs, [](const RunRecord& run) { return run.gain(); }),
                  .resultGain = measureOver(runs, [](const RunRecord& run) { return run.resultGain(); }),
                  .seconds = measureOver(runs, [](const RunRecord& run) { return run.seconds; }),
                  .nodes = measureOver(runs, [](const RunRecord& run) { return static_cast<double>(run.nodes()); }),
                  .multiIterations = first.multiIterations,
                  .worstGain = std::numeric_limits<double>::infinity(),
                  .paper = plan.paper.result(plan.paperDevice, first.program, approaches()[approach].name)};
    for (const RunRecord* run : runs) {
        row.checked += run->isChecked ? 1 : 0;
        row.outOfTime += run->isOutOfTime ? 1 : 0;
        row.worstGain = std::min(row.worstGain, run->gain());
    }
    return row;
}

Runs runsWhere(const std::vector<RunRecord>& records, std::string_view program, std::size_t approach,
               std::uint32_t budget) {
    Runs runs;
    for (const RunRecord& run : records) {
        const bool isOfBudget = run.budget == budget || !approaches()[approach].isRandomized;
        if (run.program == program && run.approach == approaches()[approach].name && isOfBudget) runs.push_back(&run);
    }
    return runs;
}

/// Means of several groups of rows, one a group, over the programs that have a row in each.
std::vector<ApproachMean> meansOf(const ExperimentPlan& plan,
                                  const std::vector<std::vector<const ResultRow*>>& groups) {
    std::vector<ApproachMean> means;
    const auto find = [](const std::vector<const ResultRow*>& group, const std::string& program) {
        return std::ranges::find(group, program, [](const ResultRow* row) { return row->program; });
    };
    for (const auto& group : groups) {
        if (group.empty()) continue;
        ApproachMean mean{.approach = group.front()->approach, .budget = group.front()->budget};
        PaperMean paper;
        std::size_t known = 0;
        for (const ComparisonPlan::Subject& subject : plan.programs) {
            const bool isComplete = std::ranges::all_of(
                groups, [&](const auto& other) { return other.empty() || find(other, subject.name) != other.end(); });
            if (!isComplete) continue;
            const ResultRow& row = **find(group, subject.name);
            ++mean.programs;
            mean.gain += row.gain.mean;
            mean.seconds += row.seconds.mean;
            mean.outOfTime += row.outOfTime;
            if (!row.paper) continue;
            ++known;
            paper.gain += row.paper->gain.mean;
            paper.seconds += row.paper->seconds.mean;
        }
        if (mean.programs == 0) continue;
        const auto count = static_cast<double>(mean.programs);
        mean.gain /= count;
        mean.seconds /= count;
        if (known == mean.programs) mean.paper = PaperMean{paper.gain / count, paper.seconds / count};
        means.push_back(mean);
    }
    return means;
}

std::vector<ApproachMean> meansOfApproaches(const ExperimentPlan& plan, const Summary& summary,
                                            std::span<const std::string_view> names) {
    std::vector<std::vector<const ResultRow*>> groups;
    for (const std::string_view name : names) {
        auto& group = groups.emplace_back();
        for (const ResultRow& row : summary.rows) {
            if (approaches()[row.approach].name == name) group.push_back(&row);
        }
    }
    return meansOf(plan, groups);
}

/// The gains that both experiments have.
std::vector<DeviceRow> devicesOf(const ExperimentPlan& plan, const Summary& summary, const OtherExperiment& other) {
    std::vector<DeviceRow> rows;
    for (const ResultRow& row : summary.rows) {
        const std::string_view name = approaches()[row.approach].name;
        if (name != "tensat" && name != "mcts-ocf-ilp" && name != "mcts-ilp-ilp") continue;
        const Runs runs = runsWhere(other.runs, row.program, row.approach, plan.budget);
        if (runs.empty()) continue;
        DeviceRow both{.program = row.program,
                       .approach = row.approach,
                       .here = row.gain,
                       .there = measureOver(runs, [](const RunRecord& run) { return run.gain(); }),
                       .outOfTime = row.outOfTime};
        both.outOfTime += static_cast<std::size_t>(
            std::ranges::count_if(runs, [](const RunRecord* run) { return run->isOutOfTime; }));
        if (const auto paper = plan.paper.result(PaperDevice::A100, row.program, name))
            both.paperA100 = paper->gain.mean;
        if (const auto paper = plan.paper.result(PaperDevice::P100, row.program, name))
            both.paperP100 = paper->gain.mean;
        rows.push_back(std::move(both));
    }
    return rows;
}

RuleUse useOf(const ExperimentPlan& plan, const ExperimentResults& results, std::string_view name) {
    RuleUse use{.approach = approachNamed(name), .outOfTime = 0, .programs = {}, .rules = {}, .counts = {}};
    Runs runs;
    for (const ComparisonPlan::Subject& subject : plan.programs) {
        const Runs all = runsWhere(results.runs, subject.name, use.approach, plan.budget);
        const auto first = std::ranges::find(all, std::uint64_t{1}, &RunRecord::seed);
        if (first == all.end()) continue;
        use.programs.push_back(subject.name);
        use.outOfTime += (*first)->isOutOfTime ? 1 : 0;
        runs.push_back(*first);
    }
    for (const auto& rule : plan.rules.directions) {
        std::vector<std::uint64_t> counts;
        for (const RunRecord* run : runs) counts.push_back(run->applicationsOf(rule->name()));
        if (std::ranges::all_of(counts, [](std::uint64_t count) { return count == 0; })) continue;
        use.rules.push_back(rule->name());
        use.counts.push_back(std::move(counts));
    }
    return use;
}

}  // namespace

Measure measureOf(const std::vector<double>& values) {
    Measure measure{.mean = 0.0, .deviation = 0.0, .count = values.size()};
    if (values.empty()) return measure;
    for (const double value : values) measure.mean += value / static_cast<double>(values.size());
    if (values.size() < 2) return measure;
    double squares = 0.0;
    for (const double value : values) squares += (value - measure.mean) * (value - measure.mean);
    measure.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
    return measure;
}

const ResultRow* Summary::row(std::string_view program, std::string_view approach) const {
    const auto found = std::ranges::find_if(rows, [&](const ResultRow& row) {
        return row.program == program && approaches()[row.approach].name == approach;
    });
    return found == rows.end() ? nullptr : &*found;
}

Summary summaryOf(const ExperimentPlan& plan, const ExperimentResults& results) {
    Summary summary;
    for (const ComparisonPlan::Subject& subject : plan.programs) {
        for (std::size_t approach = 0; approach < approaches().size(); ++approach) {
            const auto row = rowOf(runsWhere(results.runs, subject.name, approach, plan.budget), approach, plan);
            if (row) summary.rows.push_back(*row);
        }
    }
    if (plan.beside) summary.devices = devicesOf(plan, summary, *plan.beside);
    const auto isWanted = [&plan](Part part) { return plan.parts.contains(part); };
    if (isWanted(Part::Figure5)) {
        summary.figure5 =
            meansOfApproaches(plan, summary,
                              std::array<std::string_view, 5>{"mcts-dcf-dcf", "mcts-dcf-ilp", "mcts-ocf-ocf",
                                                              "mcts-ocf-ilp", "mcts-ilp-ilp"});
    }
    if (isWanted(Part::Figure6)) {
        summary.figure6 = meansOfApproaches(plan, summary, figure6Approaches());
    }
    if (isWanted(Part::Figure7)) summary.rules.push_back(useOf(plan, results, "tensat"));
    if (isWanted(Part::Figure8)) summary.rules.push_back(useOf(plan, results, "mcts-ilp-ilp"));
    if (isWanted(Part::Figure10)) summary.rules.push_back(useOf(plan, results, "mcts-ocf-ilp"));
    if (!isWanted(Part::Budgets)) return summary;
    const std::size_t approach = approachNamed("mcts-ocf-ilp");
    const std::vector<std::uint32_t> budgets = budgetsOf(plan);
    for (const ComparisonPlan::Subject& subject : plan.programs) {
        for (const std::uint32_t budget : budgets) {
            const auto row = rowOf(runsWhere(results.runs, subject.name, approach, budget), approach, plan);
            if (row) summary.budgets.push_back(*row);
        }
    }
    std::vector<std::vector<const ResultRow*>> groups;
    for (const std::uint32_t budget : budgets) {
        auto& group = groups.emplace_back();
        for (const ResultRow& row : summary.budgets) {
            if (row.budget == budget) group.push_back(&row);
        }
    }
    summary.byBudget = meansOf(plan, groups);
    return summary;
}

}  // namespace mitos::search::experiments
