// SPDX-License-Identifier: GPL-3.0-or-later
// See compare_output.h.
#include "app/cli/compare_output.h"

#include "app/cli/commit.h"
#include "core/base/readable_number.h"
#include "search/compare/run_table.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

namespace mitos::cli {

namespace {

using rewrite::Values;
using search::Cell;
using search::ComparedRun;
using search::Comparison;

const char* name(Values values) {
    switch (values) {
        case Values::Same: return "yes";
        case Values::Different: return "NO";
        case Values::NotCompared: return "not compared";
    }
    return "";
}

Json budgetJson(const search::Budget& budget) {
    Json json = Json::object();
    if (budget.evaluations) json["evaluations"] = *budget.evaluations;
    if (budget.seconds) json["seconds"] = *budget.seconds;
    if (budget.states) json["states"] = *budget.states;
    if (budget.memoryBytes) json["memory_bytes"] = *budget.memoryBytes;
    return json;
}

Json spreadJson(const Spread& spread) {
    return {{"least", spread.least},
            {"lower_quartile", spread.lower},
            {"median", spread.median},
            {"upper_quartile", spread.upper},
            {"most", spread.most}};
}

/// Null if the values could not be compared.
Json equivalentJson(Values values) {
    return values == Values::NotCompared ? Json(nullptr) : Json(values == Values::Same);
}

/// Why a run has no result.
std::string failureOf(const search::Run& run) { return run.state == search::RunState::Failed ? run.stop : "not run"; }

Json runJson(const Comparison& comparison, const ComparedRun& compared) {
    const search::Run& run = compared.run;
    Json json{{"program", comparison.programs[compared.program].name},
              {"strategy", run.strategy},
              {"budget", budgetJson(run.budget)},
              {"seed", run.seed}};
    if (!compared.done()) {
        json["error"] = failureOf(run);
        return json;
    }
    const std::vector<search::Improvement> curve = curveOf(run);
    json["initial_cost"] = run.initialCost;
    json["best_cost"] = run.bestCost;
    json["evaluations"] = run.statistics.evaluations;
    json["states"] = run.statistics.states;
    json["seconds"] = run.statistics.seconds;
    json["memory_bytes"] = run.statistics.memoryBytes;
    json["evaluations_to_best"] = curve.back().evaluations;
    json["seconds_to_best"] = curve.back().seconds;
    json["stop"] = run.stop;
    json["thread_length"] = compared.steps.size();
    json["thread_checked"] = run.verdict->isThreadChecked;
    json["equivalent"] = equivalentJson(run.verdict->values);
    json["step_by_step"] = run.verdict->isStepByStep;
    json["verdict"] = Json::parse(rewrite::toJson(*run.verdict));
    json["path_costs"] = compared.costs;
    for (const search::Improvement& point : curve) {
        json["curve"].push_back({point.evaluations, point.seconds, point.best});
    }
    return json;
}

Json cellJson(const Comparison& comparison, const Cell& cell) {
    return {{"program", comparison.programs[cell.program].name},
            {"strategy", comparison.strategies[cell.strategy].name},
            {"budget", budgetJson(comparison.budgets[cell.budget])},
            {"runs", cell.runs.size()},
            {"initial_cost", cell.bestRun->run.initialCost},
            {"best_cost", cell.cost.least},
            {"best_cost_over_seeds", spreadJson(cell.cost)},
            {"best_seed", cell.bestRun->run.seed},
            {"evaluations_to_best", cell.evaluationsToBest},
            {"seconds_to_best", cell.secondsToBest},
            {"seconds", cell.seconds},
            {"thread_checked", cell.allChecked},
            {"equivalent", equivalentJson(cell.values)},
            {"best_program", cell.bestRun->best},
            {"thread", cell.bestRun->steps}};
}

}  // namespace

std::string machineText() {
    std::string processor = "unknown processor";
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (!line.starts_with("model name") || colon == std::string::npos) continue;
        processor = line.substr(colon + 2);
        break;
    }
    utsname system{};
    const bool known = ::uname(&system) == 0;
    return fmt::format("{} {}, {}, {} threads", known ? system.sysname : "unknown system", known ? system.machine : "",
                       processor, std::thread::hardware_concurrency());
}

std::vector<std::pair<std::string, std::string>> environmentOf(const std::string& rules, const std::string& cost,
                                                               const Comparison& comparison, unsigned jobs) {
    std::vector<std::string> budgets;
    for (const search::Budget& budget : comparison.budgets) budgets.push_back(toString(budget));
    return {{"Mitos", MITOS_VERSION},
            {"Commit", commitText()},
            {"Machine", machineText()},
            {"Searches at a time", fmt::format("{}", jobs)},
            {"Rules", rules},
            {"Cost model", cost},
            {"Budget of a search", fmt::format("{}", fmt::join(budgets, "; "))},
            {"Seeds", fmt::format("{} to {}", comparison.seeds.front(), comparison.seeds.back())},
            {"Made", utcNow()}};
}

Json comparisonJson(const Comparison& comparison, const search::ReportFacts& facts) {
    Json json{{"environment", Json::object()}, {"failures", Json::array()}, {"strategies", Json::array()},
              {"totals", Json::array()},       {"programs", Json::array()}, {"runs", Json::array()}};
    for (const auto& [what, value] : facts.environment) json["environment"][what] = value;
    for (const auto& [file, message] : facts.failures) json["failures"].push_back({{"file", file}, {"error", message}});
    for (const Comparison::Contestant& contestant : comparison.strategies) {
        Json parameters = Json::object();
        for (const auto& [key, value] : contestant.parameters) parameters[key] = parameterText(value);
        json["strategies"].push_back({{"name", contestant.name}, {"parameters", parameters}});
    }
    for (const search::Total& total : totalsOf(comparison)) {
        json["totals"].push_back({{"strategy", comparison.strategies[total.strategy].name},
                                  {"budget", budgetJson(comparison.budgets[total.budget])},
                                  {"programs", total.programs},
                                  {"initial_cost", total.initial},
                                  {"best_cost", total.best},
                                  {"best_cost_over_seeds", spreadJson(total.cost)},
                                  {"evaluations", total.evaluations},
                                  {"seconds", total.seconds}});
    }
    for (const Cell& cell : cellsOf(comparison)) {
        if (cell.bestRun != nullptr) json["programs"].push_back(cellJson(comparison, cell));
    }
    for (const ComparedRun& run : comparison.runs) json["runs"].push_back(runJson(comparison, run));
    return json;
}

std::string markdownTable(const Comparison& comparison) {
    std::string text = "| program | initial |";
    std::string line = "|---|---|";
    for (const Comparison::Contestant& strategy : comparison.strategies) {
        text += fmt::format(" {} |", strategy.name);
        line += "---|";
    }
    text += " least | same values |\n" + line + "---|---|\n";
    const std::vector<Cell> cells = cellsOf(comparison);
    for (std::size_t p = 0; p < comparison.programs.size(); ++p) {
        std::string row;
        double initial = 0.0;
        double least = HUGE_VAL;
        std::vector<Values> verdicts;
        bool stepByStep = false;
        for (const Cell& cell : cells) {
            if (cell.program != p || cell.budget + 1 != comparison.budgets.size()) continue;
            if (cell.bestRun == nullptr) {
                row += " – |";
                continue;
            }
            initial = cell.bestRun->run.initialCost;
            least = std::min(least, cell.cost.least);
            verdicts.push_back(cell.allChecked ? cell.values : Values::Different);
            stepByStep = stepByStep || cell.bestRun->run.verdict->isStepByStep;
            row += fmt::format(" {:.6g} |", cell.cost.least);
        }
        if (verdicts.empty()) {
            text += fmt::format("| {} | – |{} – | not run |\n", search::markdownText(comparison.programs[p].name), row);
            continue;
        }
        // The worst of the verdicts, independent of the order of the enumeration.
        const Values worst = std::ranges::count(verdicts, Values::Different) > 0     ? Values::Different
                             : std::ranges::count(verdicts, Values::NotCompared) > 0 ? Values::NotCompared
                                                                                     : Values::Same;
        text += fmt::format("| {} | {:.6g} |{} {} | {}{} |\n", search::markdownText(comparison.programs[p].name),
                            initial, row, changeText(initial, least), name(worst),
                            worst == Values::Same && stepByStep ? ", step by step" : "");
    }
    return text;
}

void printComparison(const Comparison& comparison, const std::vector<FailedFile>& failures) {
    std::size_t width = 8;
    for (const Comparison::Subject& subject : comparison.programs) width = std::max(width, subject.name.size());
    const bool budgets = comparison.budgets.size() > 1;
    fmt::print("{:<{}} {:<13} {}{:>12} {:>12} {:>12} {:>11} {:>9} {:>8}  {}\n", "program", width, "strategy",
               budgets ? fmt::format("{:>11} ", "budget") : "", "initial", "best", "median", "evals.", "seconds",
               "checked", "equivalent");
    for (const Cell& cell : cellsOf(comparison)) {
        const search::Budget& budget = comparison.budgets[cell.budget];
        fmt::print("{:<{}} {:<13} {}", comparison.programs[cell.program].name, width,
                   comparison.strategies[cell.strategy].name,
                   budgets ? fmt::format("{:>11} ", budget.evaluations.value_or(0)) : "");
        if (cell.bestRun == nullptr) {
            fmt::print("{}\n", failureOf(comparison.run(cell.program, cell.strategy, cell.budget, 0).run));
            continue;
        }
        fmt::print("{:>12.6g} {:>12.6g} {:>12.6g} {:>11.0f} {:>9.3f} {:>8}  {}\n", cell.bestRun->run.initialCost,
                   cell.cost.least, cell.cost.median, cell.evaluationsToBest, cell.secondsToBest,
                   cell.allChecked ? "yes" : "NO", name(cell.values));
    }
    const std::vector<search::Total> totals = totalsOf(comparison);
    if (!totals.empty() && comparison.programs.size() > 1) {
        fmt::print("\ntotals over {} programs\n", totals.front().programs);
        for (const search::Total& total : totals) {
            fmt::print("  {:<13} {}{:>12.6g} {:>12.6g} {:>12.6g} {:>11} {:>9.2f}\n",
                       comparison.strategies[total.strategy].name,
                       budgets ? fmt::format("{:>11} ", comparison.budgets[total.budget].evaluations.value_or(0)) : "",
                       total.initial, total.best, total.cost.median, total.evaluations, total.seconds);
        }
    }
    fmt::print("\nevals., seconds: to the best, median over {} seeds; of totals: of all searches\n",
               comparison.seeds.size());
    for (const FailedFile& failure : failures) fmt::print("not compared: {}: {}\n", failure.file, failure.message);
}

}  // namespace mitos::cli
