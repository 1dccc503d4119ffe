// SPDX-License-Identifier: GPL-3.0-or-later
// The report's tables.
#include "search/report/html.h"
#include "search/report/internal/sections.h"
#include "search/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace mitos::search::report {

namespace {

std::string nameCell(const Contestant& one, bool isBest) {
    std::string cell = "<span class=\"who\">" + lineSample(one.style) + "<strong>" + escaped(one.label) + "</strong>";
    cell += isBest ? "<span class=\"badge\">★ best</span></span>" : "</span>";
    // A label may name the parameters already.
    if (!one.parameters.empty() && one.label.find(one.parameters) == std::string::npos) {
        cell += " <small>" + escaped(one.parameters) + "</small>";
    }
    return cell;
}

/// The number; the exact one is its title if it has more digits.
std::string shortNumber(double number) {
    const std::string text = costText(number);
    const std::string exact = fmt::format("{:.12g}", number);
    return text == exact ? text : fmt::format("<span title=\"{}\">{}</span>", exact, text);
}

std::string quartiles(const Spread& spread) {
    std::string text = shortNumber(spread.median);
    if (costText(spread.lower) != costText(spread.upper)) {
        text += fmt::format(" <small>{} to {}</small>", costText(spread.lower), costText(spread.upper));
    }
    return text;
}

/// The numbers of the group's runs that are counted; nothing if there are none.
std::optional<RunGroup> countedGroup(const RunGroup& group) {
    std::vector<TableRun> runs;
    for (const Run* run : countedRuns(group))
        runs.push_back({.program = group.program, .run = run, .from = group.from});
    if (runs.empty()) return std::nullopt;
    return groupedRuns(runs).front();
}

std::string stopsOf(const RunGroup& group) {
    return escaped(shortened(fmt::format("{}", fmt::join(group.stops, "; ")), 120));
}

/// How many of the runs passed every check; anything else stands out.
std::string verdictsCell(const std::vector<const RunGroup*>& groups) {
    RunGroup all;
    for (const RunGroup* group : groups) {
        all.runs.insert(all.runs.end(), group->runs.begin(), group->runs.end());
        all.finished += group->finished;
        all.judged += group->judged;
        all.good += group->good;
        all.refuted += group->refuted;
    }
    if (all.finished == 0) return "<span class=\"doubtful\">no result</span>";
    if (all.good == all.finished) return fmt::format("<span class=\"passed\">✓ {} checked</span>", all.good);
    return "<span class=\"doubtful\">" + escaped(verdictsText(all)) + "</span>";
}

std::string limitText(const RunGroup& group) { return escaped(toString(group.asked().budget)); }

/// Contestants by their numbers, the smallest first; those without a number last.
std::vector<std::size_t> orderBy(const std::vector<std::optional<double>>& numbers) {
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, {}, [&numbers](std::size_t i) { return numbers[i].value_or(std::numeric_limits<double>::infinity()); });
    return order;
}

std::string linkTo(const Contest& contest, std::size_t program) {
    return fmt::format("<a href=\"#program-{}\">{}</a>", program + 1, escaped(contest.programs[program]));
}

}  // namespace

std::string strategyTable(const Contest& contest, const Outcome& outcome, std::size_t program) {
    Table table({"Strategy", "#Seeds", "#Best (" + contest.unit + ")", "#Change", "#Median, quartiles", "#Within 1 %",
                 "#Time", "#Evaluations", "Stopped by", "Verdicts"});
    std::vector<std::optional<RunGroup>> counted;
    std::vector<std::optional<double>> costs;
    for (const Contestant& one : contest.contestants) {
        const RunGroup* group = one.group(program);
        counted.push_back(group != nullptr ? countedGroup(*group) : std::nullopt);
        costs.push_back(counted.back() ? std::optional(counted.back()->cost.least) : std::nullopt);
    }
    for (const std::size_t c : orderBy(costs)) {
        const Contestant& one = contest.contestants[c];
        const RunGroup* group = one.group(program);
        if (group == nullptr) continue;
        const std::string name =
            nameCell(one, contest.contestants.size() > 1 && outcome.isImproved() && outcome.isWinner(c));
        const std::string seeds = countText(static_cast<double>(group->runs.size()));
        if (!counted[c]) {
            table.add({name, seeds, "–", "", "", "", "", "", stopsOf(*group), verdictsCell({group})});
            continue;
        }
        const RunGroup& numbers = *counted[c];
        table.add({name, seeds, shortNumber(numbers.cost.least), changeHtml(numbers.startCost(), numbers.cost.least),
                   quartiles(numbers.cost), durationText(numbers.nearBestSeconds), durationText(numbers.seconds),
                   countText(numbers.evaluations), stopsOf(*group), verdictsCell({group})});
    }
    return table.html();
}

std::string totalsTable(const Contest& contest, const std::vector<Outcome>& outcomes) {
    const std::vector<std::size_t> complete = contest.completePrograms();
    Table table({"Strategy", "#Cheapest for", "#Total (" + contest.unit + ")", "#Change",
                 "#Median of the seeds, quartiles", "#Time of all", "#Evaluations", "Stopped by", "Verdicts"});
    std::vector<std::optional<double>> totals;
    for (const Contestant& one : contest.contestants) {
        double total = 0.0;
        for (const std::size_t p : complete) total += countedRuns(*one.group(p)).front()->bestCost;
        totals.push_back(complete.empty() ? std::nullopt : std::optional(total));
    }
    const double least = complete.empty() ? 0.0 : **std::ranges::min_element(totals);
    for (const std::size_t c : orderBy(totals)) {
        const Contestant& one = contest.contestants[c];
        std::size_t wins = 0;
        double start = 0.0;
        double seconds = 0.0;
        double evaluations = 0.0;
        std::set<std::string> stops;
        std::vector<const RunGroup*> groups;
        for (std::size_t p = 0; p < outcomes.size(); ++p) {
            wins += outcomes[p].isImproved() && outcomes[p].isWinner(c) ? 1 : 0;
            const RunGroup* group = one.group(p);
            if (group == nullptr) continue;
            groups.push_back(group);
            stops.insert(group->stops.begin(), group->stops.end());
            for (const Run* run : group->runs) {
                seconds += run->statistics.seconds;
                evaluations += static_cast<double>(run->statistics.evaluations);
            }
        }
        for (const std::size_t p : complete) start += outcomes[p].startCost;
        std::vector<double> sums;
        for (const auto& group : curvesOf(one, complete)) {
            double& sum = sums.emplace_back(0.0);
            for (const Run* run : group) sum += run->bestCost;
        }
        const bool isBest = totals[c] && isSameCost(*totals[c], least) && wins > 0;
        table.add({nameCell(one, isBest), fmt::format("{} of {}", wins, outcomes.size()),
                   totals[c] ? shortNumber(*totals[c]) : "–", totals[c] ? changeHtml(start, *totals[c]) : "",
                   sums.empty() || complete.empty() ? "" : quartiles(spreadOf(sums)), durationText(seconds),
                   countText(evaluations), escaped(shortened(fmt::format("{}", fmt::join(stops, "; ")), 120)),
                   verdictsCell(groups)});
    }
    return table.html();
}

std::string programTable(const Contest& contest, const std::vector<Outcome>& outcomes) {
    Table table({"Program", "#Start (" + contest.unit + ")", "#Best", "#Change", "Found by"});
    for (std::size_t p = 0; p < outcomes.size(); ++p) {
        const Outcome& outcome = outcomes[p];
        const std::string start = outcome.hasResult ? shortNumber(outcome.startCost) : "";
        if (outcome.best == nullptr) {
            table.add({linkTo(contest, p), start, "–", "",
                       outcome.hasResult ? "<span class=\"doubtful\">no confirmed result</span>"
                                         : "<span class=\"doubtful\">no result</span>"});
            continue;
        }
        std::vector<std::string> winners;
        for (std::size_t c = 0; c < contest.contestants.size(); ++c) {
            if (outcome.isWinner(c)) winners.push_back(escaped(contest.contestants[c].label));
        }
        std::string names = winners.size() == contest.contestants.size() && winners.size() > 2
                                ? "all strategies"
                                : fmt::format("{}", fmt::join(winners, ", "));
        if (!outcome.isImproved()) names = "<span class=\"soft\">none</span>";
        if (outcome.doubtful != nullptr) names += " <span class=\"doubtful\">a cheaper one is not confirmed</span>";
        table.add({linkTo(contest, p), start, shortNumber(outcome.best->bestCost),
                   changeHtml(outcome.startCost, outcome.best->bestCost), names});
    }
    return table.html();
}

std::string groupTable(const Contest& contest) {
    Table table({"Program", "Strategy", "Limit", "#Seeds", "#Best (" + contest.unit + ")", "#Change",
                 "#Median, quartiles", "#Within 1 % of its best", "#Time", "#Evaluations", "Stopped by", "Verdicts"});
    for (std::size_t p = 0; p < contest.programs.size(); ++p) {
        for (const Contestant& one : contest.contestants) {
            for (const RunGroup* group : one.groups[p]) {
                const std::optional<RunGroup> counted = countedGroup(*group);
                const auto number = [&counted](auto text) { return counted ? text(*counted) : std::string(); };
                table.add({linkTo(contest, p), escaped(one.label), limitText(*group),
                           countText(static_cast<double>(group->runs.size())),
                           number([](const RunGroup& g) { return shortNumber(g.cost.least); }),
                           number([](const RunGroup& g) { return changeHtml(g.startCost(), g.cost.least); }),
                           number([](const RunGroup& g) { return quartiles(g.cost); }),
                           number([](const RunGroup& g) { return durationText(g.nearBestSeconds); }),
                           number([](const RunGroup& g) { return durationText(g.seconds); }),
                           number([](const RunGroup& g) { return countText(g.evaluations); }), stopsOf(*group),
                           verdictsCell({group})});
            }
        }
    }
    return table.html();
}

std::string runTable(const Contest& contest) {
    Table table({"Program", "Strategy", "#Seed", "#Best (" + contest.unit + ")", "#Change", "#Time", "#Evaluations",
                 "Stopped by", "Verdict"});
    for (std::size_t p = 0; p < contest.programs.size(); ++p) {
        for (const Contestant& one : contest.contestants) {
            const RunGroup* group = one.group(p);
            if (group == nullptr) continue;
            for (const Run* run : group->runs) {
                const bool isDone = run->state == RunState::Finished;
                const std::vector<TableRun> alone{{group->program, run}};
                const std::string verdict = run->verdict ? escaped(shortened(run->verdict->toString(), 200))
                                            : isDone     ? "not checked"
                                                         : "no result";
                table.add(
                    {escaped(contest.programs[p]), escaped(one.label), fmt::format("{}", run->seed),
                     isDone ? shortNumber(run->bestCost) : "",
                     isDone ? changeHtml(group->from ? group->from->startCost : run->initialCost, run->bestCost) : "",
                     durationText(run->statistics.seconds), countText(static_cast<double>(run->statistics.evaluations)),
                     stopsOf(groupedRuns(alone).front()),
                     isConfirmed(*run) ? verdict : "<span class=\"doubtful\">" + verdict + "</span>"});
            }
        }
    }
    return table.html();
}

std::string methodTable(const Contest& contest, std::span<const StrategyInfo> strategies) {
    std::string html = "<dl>\n";
    for (const Contestant& one : contest.contestants) {
        const auto info = std::ranges::find(strategies, one.asked->strategy, &StrategyInfo::name);
        std::vector<std::string> values;
        for (const auto& [name, value] : one.asked->parameters) {
            values.push_back(escaped(name + " = " + parameterText(value)));
        }
        html += fmt::format("<dt>{} <small>{}</small></dt><dd>{}{}</dd>\n", escaped(one.label),
                            escaped(one.asked->strategy), info == strategies.end() ? "" : escaped(info->title) + ". ",
                            fmt::join(values, ", "));
    }
    return html + "</dl>\n";
}

}  // namespace mitos::search::report
