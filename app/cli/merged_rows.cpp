// SPDX-License-Identifier: GPL-3.0-or-later
// See merged_rows.h.
#include "app/cli/merged_rows.h"

#include "app/cli/compare_output.h"
#include "core/base/json_field.h"
#include "core/base/readable_number.h"
#include "core/dialects/dialects.h"
#include "search/compare/comparison.h"
#include "search/compare/run_table.h"
#include "search/report/html_report.h"
#include "search/run_json.h"
#include "search/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace mitos::cli {

namespace {

using search::RunGroup;
using search::RunRow;

/// The rows of all files, the last one of each search, in the order of programs, strategies and seeds.
Result<std::vector<RunRow>> rowsOf(const std::vector<std::string>& files) {
    std::map<std::string, RunRow> bySearch;
    for (const std::string& file : files) {
        MITOS_TRY(const SourceText text, readSourceFile(file));
        MITOS_TRY(std::vector<RunRow> rows, search::readRows(text));
        for (RunRow& row : rows) {
            const search::Run& run = row.run;
            std::string key =
                fmt::format("{}\n{}\n{}\n{}\n{:020}", row.program, run.strategy, search::parametersText(run.parameters),
                            search::budgetText(run.budget), run.seed);
            bySearch.insert_or_assign(std::move(key), std::move(row));
        }
    }
    std::vector<RunRow> all;
    for (auto& [key, row] : bySearch) all.push_back(std::move(row));
    if (all.empty())
        return inputError("the files hold no rows", "write what mitos-cli schedule --array prints to them");
    const auto other =
        std::ranges::find_if(all, [&](const RunRow& row) { return row.run.costModel != all.front().run.costModel; });
    if (other != all.end()) {
        return inputError(fmt::format("{} was searched under the cost model {}, {} under {}", all.front().program,
                                      all.front().run.costModel, other->program, other->run.costModel),
                          "merge one cost model at a time");
    }
    return all;
}

/// How far the results of a group are above what no result goes below, in percent.
struct Gaps {
    double mean = 0.0;
    std::size_t known = 0;
    std::size_t proven = 0;
};

using MoreByRun = std::map<const search::Run*, const std::string*>;

Gaps gapsOf(const RunGroup& group, const MoreByRun& more) {
    constexpr double Percent = 100.0;
    Gaps gaps;
    for (const search::Run* run : group.runs) {
        if (run->state != search::RunState::Finished) continue;
        const nlohmann::json facts = nlohmann::json::parse(*more.at(run), nullptr, false);
        if (!facts.is_object()) continue;
        bool isProven = false;
        readField(facts, "proven", isProven);
        if (isProven) ++gaps.proven;
        const double bound = isProven ? run->bestCost : fieldOf<double>(facts, "bound").value_or(0.0);
        if (bound <= 0.0) continue;
        gaps.mean += Percent * (run->bestCost / bound - 1.0);
        ++gaps.known;
    }
    if (gaps.known > 0) gaps.mean /= static_cast<double>(gaps.known);
    return gaps;
}

/// The strategies over all programs: how far the medians are above the least cost that any strategy found, and above bounds.
struct StrategyTotal {
    std::size_t programs = 0;
    double aboveBest = 0.0;  ///< mean, percent
    double aboveBound = 0.0;
    std::size_t bounds = 0;
    double seconds = 0.0;
};

std::map<std::string, StrategyTotal> totalsOf(const std::vector<RunGroup>& groups, const MoreByRun& more) {
    constexpr double Percent = 100.0;
    std::map<std::string, double> least;
    for (const RunGroup& group : groups) {
        if (group.finished == 0) continue;
        const auto known = least.try_emplace(group.program, group.cost.least).first;
        known->second = std::min(known->second, group.cost.least);
    }
    std::map<std::string, StrategyTotal> totals;
    for (const RunGroup& group : groups) {
        if (group.finished == 0) continue;
        StrategyTotal& total = totals[group.asked().strategy];
        ++total.programs;
        const double best = least.at(group.program);
        if (best > 0.0) total.aboveBest += Percent * (group.cost.median / best - 1.0);
        const Gaps gaps = gapsOf(group, more);
        if (gaps.known > 0) {
            total.aboveBound += gaps.mean;
            ++total.bounds;
        }
        total.seconds += group.seconds;
    }
    return totals;
}

std::string percentText(double percent) { return fmt::format("{:.2f} %", percent); }

void printGroups(const std::vector<RunGroup>& groups, const MoreByRun& more) {
    std::size_t width = 8;
    std::size_t strategyWidth = 8;
    for (const RunGroup& group : groups) {
        width = std::max(width, group.program.size());
        strategyWidth = std::max(strategyWidth, group.asked().strategy.size());
    }
    fmt::print("{:<{}}  {:<{}} {:>5} {:>12} {:>12} {:>12} {:>11} {:>7} {:>10} {:>9}\n", "program", width, "strategy",
               strategyWidth, "runs", "initial", "best", "median", "above bound", "proven", "evals.", "seconds");
    for (const RunGroup& group : groups) {
        fmt::print("{:<{}}  {:<{}} {:>5}", group.program, width, group.asked().strategy, strategyWidth,
                   group.finished == group.runs.size() ? fmt::format("{}", group.runs.size())
                                                       : fmt::format("{}/{}", group.finished, group.runs.size()));
        if (group.finished == 0) {
            fmt::print("  {}\n", group.stops.empty() ? "not finished" : group.stops.front());
            continue;
        }
        const Gaps gaps = gapsOf(group, more);
        fmt::print(" {:>12.6g} {:>12.6g} {:>12.6g} {:>11} {:>7} {:>10.0f} {:>9.3f}\n", group.initialCost,
                   group.cost.least, group.cost.median, gaps.known > 0 ? percentText(gaps.mean) : "-",
                   gaps.known > 0 ? fmt::format("{}", gaps.proven) : "-", group.evaluations, group.seconds);
    }
    const auto totals = totalsOf(groups, more);
    if (totals.size() < 2) return;
    fmt::print("\nmeans over programs, of medians over seeds\n");
    for (const auto& [strategy, total] : totals) {
        fmt::print("  {:<{}} {:>4} programs  {:>9} above the best known{}  {:>9.2f} s\n", strategy, strategyWidth,
                   total.programs, percentText(total.aboveBest / static_cast<double>(total.programs)),
                   total.bounds == 0 ? std::string()
                                     : fmt::format("  {:>9} above bounds",
                                                   percentText(total.aboveBound / static_cast<double>(total.bounds))),
                   total.seconds);
    }
}

Json groupsJson(const std::vector<RunGroup>& groups, const MoreByRun& more) {
    Json json{{"programs", Json::array()}, {"totals", Json::array()}};
    for (const RunGroup& group : groups) {
        const Gaps gaps = gapsOf(group, more);
        Json one{{"program", group.program},
                 {"strategy", group.asked().strategy},
                 {"runs", group.runs.size()},
                 {"finished", group.finished}};
        if (group.finished > 0) {
            one["initial_cost"] = group.initialCost;
            one["best_cost"] = group.cost.least;
            one["median_cost"] = group.cost.median;
            one["seconds"] = group.seconds;
            one["evaluations"] = group.evaluations;
            if (gaps.known > 0) {
                one["percent_above_bound"] = gaps.mean;
                one["proven"] = gaps.proven;
            }
        }
        json["programs"].push_back(std::move(one));
    }
    for (const auto& [strategy, total] : totalsOf(groups, more)) {
        json["totals"].push_back({{"strategy", strategy},
                                  {"programs", total.programs},
                                  {"percent_above_best_known", total.aboveBest / static_cast<double>(total.programs)}});
    }
    return json;
}

}  // namespace

bool isRowFile(const std::string& path) { return path.ends_with(".jsonl"); }

Result<int> mergeRows(const MergeOptions& options) {
    MITOS_TRY(const std::vector<RunRow> rows, rowsOf(options.files));
    std::vector<search::TableRun> runs;
    MoreByRun more;
    std::set<std::string> strategyNames;
    for (const RunRow& row : rows) {
        runs.push_back({.program = row.program, .run = &row.run});
        more.emplace(&row.run, &row.more);
        strategyNames.insert(row.run.strategy);
    }
    const std::vector<RunGroup> groups = search::groupedRuns(runs);
    search::ReportFacts facts{.title = options.title};
    if (const auto model = cost::findCostModel(rows.front().run.costModel)) facts.unit = (*model)->info().unit;
    for (const std::string& name : strategyNames) {
        if (const auto strategy = search::findStrategy(name)) facts.strategies.push_back((*strategy)->info());
    }
    facts.environment = {{"Mitos", MITOS_VERSION},
                         {"Cost model", rows.front().run.costModel},
                         {"Searches", fmt::format("{}, of {} files", rows.size(), options.files.size())},
                         {"Merged", utcNow()}};
    if (options.json) {
        print(groupsJson(groups, more));
    } else {
        printGroups(groups, more);
    }
    if (!options.output.empty()) {
        const std::string text =
            options.output.ends_with(".md")
                ? search::writeTable(groups, search::TableFormat::Markdown, facts.unit, facts.strategies)
                : search::htmlReport(runs, facts, rules::RuleBook::none(dialects::makeRegistry()));
        MITOS_REQUIRE(writeFile(options.output, text));
    }
    if (const auto format = search::tableFormatOf(options.runs))
        MITOS_REQUIRE(writeFile(options.runs, search::writeTable(groups, *format, facts.unit, facts.strategies)));
    const bool isAllWell = std::ranges::all_of(
        groups, [](const RunGroup& group) { return group.finished == group.runs.size() && group.refuted == 0; });
    return isAllWell ? Success : CheckFailed;
}

}  // namespace mitos::cli
