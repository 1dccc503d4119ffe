// SPDX-License-Identifier: GPL-3.0-or-later
// See internal/answer.h.
#include "search/report/internal/answer.h"

#include "search/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace mitos::search::report {

namespace {

constexpr double NearBest = 0.01;
constexpr std::size_t MostBoxes = 6;
constexpr std::size_t MostGaps = 3;
constexpr std::size_t MostNames = 4;

std::string strong(const std::string& html) { return "<strong>" + html + "</strong>"; }

/// "A", "A and B", "A, B and C".
std::string listed(const std::vector<std::string>& parts) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    }
    return text;
}

std::string labelsOf(const Contest& contest, const std::vector<std::size_t>& contestants) {
    std::vector<std::string> labels;
    for (const std::size_t c : contestants) labels.push_back(strong(escaped(contest.contestants[c].label)));
    return listed(labels);
}

/// "5.1 % below", "a factor of 12.5 above": how far the cost is from another one.
std::string farText(double cost, double other) {
    const std::string side = cost < other ? "below" : "above";
    const Change change = changeOf(other, cost);
    switch (change.kind) {
        case Change::Kind::None: return fmt::format("{} {}", percentText(Percent * (cost - other) / other), side);
        case Change::Kind::Factor: return fmt::format("a factor of {} {}", shortText(change.value, 3), side);
        case Change::Kind::Percent:
        case Change::Kind::Difference: break;
    }
    return fmt::format("{} {}", sizeText(change), side);
}

/// The same with an arrow, in the colour of cheaper or more expensive: "▼ 5.1 % below the start".
std::string farHtml(double cost, double other, const std::string& name) {
    if (isSameCost(cost, other)) return "the same as " + name;
    return fmt::format("<span class=\"{}\">{} {} {}</span>", cost < other ? "better" : "worse",
                       cost < other ? "▼" : "▲", farText(cost, other), name);
}

/// The time until the run's cost was within 1 % of the given one; nothing if it never was.
std::optional<double> secondsUntil(const Run& run, double cost) {
    const std::vector<Improvement> curve = curveOf(run);
    const double enough = cost + NearBest * std::abs(cost);
    const auto found = std::ranges::find_if(curve, [enough](const Improvement& point) { return point.best <= enough; });
    return found == curve.end() ? std::nullopt : std::optional(found->seconds);
}

/// "in 2 of 5 seeds", unless all of them found it.
std::string seedsText(const Contestant& contestant, std::size_t program, double cost) {
    const RunGroup* group = contestant.group(program);
    if (group == nullptr || group->runs.size() < 2) return {};
    const auto found = std::ranges::count_if(
        group->runs, [cost](const Run* run) { return isConfirmed(*run) && isSameCost(run->bestCost, cost); });
    if (found == 0 || static_cast<std::size_t>(found) == group->runs.size()) return {};
    return fmt::format(" in {} of {} seeds", found, group->runs.size());
}

/// "found the cheapest program: 30.24 k units, 5.1 % below the start of 31.88 k units, within 1 % of that after 0.80 s."
std::string winnersText(const Contest& contest, const Outcome& outcome, std::size_t program) {
    std::vector<std::size_t> winners;
    std::size_t asked = 0;
    std::size_t fastest = Outcome::None;
    std::optional<double> least;
    for (std::size_t c = 0; c < contest.contestants.size(); ++c) {
        asked += contest.contestants[c].groups[program].empty() ? 0 : 1;
        if (!outcome.isWinner(c)) continue;
        winners.push_back(c);
        const std::optional<double> time = secondsUntil(*outcome.confirmed[c], outcome.best->bestCost);
        if (time && (!least || *time < *least)) {
            least = time;
            fastest = c;
        }
    }
    const double best = outcome.best->bestCost;
    const std::string cost = costHtml(best, contest.unit);
    const std::optional<Beginning>& from = contest.from[program];
    if (!outcome.isImproved()) {
        const std::string than = from ? escaped(from->name) : "the start";
        return asked > 1 ? fmt::format("None of the {} strategies found a program cheaper than {}, {}.", asked, than,
                                       strong(cost))
                         : fmt::format("{} found no program cheaper than {}, {}.", labelsOf(contest, winners), than,
                                       strong(cost));
    }
    const bool areAll = winners.size() == asked && asked > 2;
    std::string text = areAll ? fmt::format("All {} strategies tie for the cheapest program", asked)
                              : labelsOf(contest, winners) + (winners.size() == 1 ? " found the cheapest program"
                                                                                  : " tie for the cheapest program");
    if (winners.size() == 1) text += seedsText(contest.contestants[winners.front()], program, best);
    text += fmt::format(": {}, {} of {}", strong(cost), farHtml(best, outcome.startCost, "the start"),
                        costHtml(outcome.startCost, contest.unit));
    if (from) {
        text += fmt::format(" and {} {}, {}, where the searches began", farText(best, outcome.initialCost),
                            escaped(from->name), costHtml(outcome.initialCost, contest.unit));
    }
    if (least) {
        text += winners.size() == 1
                    ? fmt::format(", within 1 % of that after {}", durationText(*least))
                    : fmt::format("; {} was within 1 % of that first, after {}",
                                  strong(escaped(contest.contestants[fastest].label)), durationText(*least));
    }
    return text + ".";
}

/// "A* search came within 1 % of it after 4.20 s; MCTS stayed 3.0 % above it."; empty if all are winners.
std::string othersText(const Contest& contest, const Outcome& outcome, std::size_t program) {
    std::vector<std::string> parts;
    std::vector<std::string> unconfirmed;
    std::map<std::string, std::vector<std::size_t>> gaps;  // equal gaps are named together
    std::vector<std::pair<double, std::string>> order;
    const double best = outcome.best->bestCost;
    for (std::size_t c = 0; c < contest.contestants.size(); ++c) {
        const Contestant& one = contest.contestants[c];
        const Run* own = outcome.confirmed[c];
        if (outcome.isWinner(c) || one.groups[program].empty()) continue;
        const std::string label = strong(escaped(one.label));
        if (own == nullptr) {
            unconfirmed.push_back(label);
        } else if (const std::optional<double> time = secondsUntil(*own, best)) {
            parts.push_back(fmt::format("{} came within {} after {}", label,
                                        percentText(Percent * (own->bestCost - best) / std::abs(best)),
                                        durationText(*time)));
        } else {
            const std::string gap = farText(own->bestCost, best);
            if (gaps[gap].empty()) order.emplace_back(own->bestCost, gap);
            gaps[gap].push_back(c);
        }
    }
    std::ranges::sort(order);
    if (order.size() > MostGaps) {
        std::size_t count = 0;
        for (const auto& [gap, contestants] : gaps) count += contestants.size();
        std::string least = order.front().second;
        least.resize(least.rfind(" above"));
        parts.push_back(fmt::format("{} others stayed {} to {} it", count, least, order.back().second));
    } else {
        for (const auto& [cost, gap] : order) {
            const std::vector<std::size_t>& group = gaps[gap];
            parts.push_back(fmt::format(
                "{} stayed {} it",
                group.size() > MostNames ? fmt::format("{} others", group.size()) : labelsOf(contest, group), gap));
        }
    }
    if (!unconfirmed.empty()) parts.push_back(listed(unconfirmed) + " has no confirmed result");
    std::string text = fmt::format("{}", fmt::join(parts, "; "));
    return text.empty() ? text : text + ".";
}

std::string inProgram(const Contest& contest, std::size_t program) {
    return contest.programs.size() == 1 ? std::string() : " for " + escaped(contest.programs[program]);
}

std::string verdictOf(const Run& run) {
    if (!run.verdict) return "it is not checked";
    std::string text = run.verdict->toString();
    if (!run.verdict->counterexample.empty()) text += "; " + run.verdict->counterexample;
    return shortened(text, 400);
}

/// The program's results that are known to be wrong, with the cheapest as an example; empty if there are none.
std::string wrongText(const Contest& contest, std::size_t program) {
    const Run* example = nullptr;
    std::size_t exampleContestant = 0;
    std::vector<std::string> counts;
    for (std::size_t c = 0; c < contest.contestants.size(); ++c) {
        std::size_t wrong = 0;
        std::size_t all = 0;
        for (const RunGroup* group : contest.contestants[c].groups[program]) {
            all += group->runs.size();
            for (const Run* run : group->runs) {
                if (run->state != RunState::Finished || isCounted(*run)) continue;
                ++wrong;
                if (example != nullptr && example->bestCost <= run->bestCost) continue;
                example = run;
                exampleContestant = c;
            }
        }
        if (wrong == 0) continue;
        counts.push_back(fmt::format("{} of {} by {}", wrong, all, strong(escaped(contest.contestants[c].label))));
    }
    if (example == nullptr) return {};
    return fmt::format("They count nowhere on this page: {}. For example {} by {} with seed {}: {}.", listed(counts),
                       costHtml(example->bestCost, contest.unit),
                       strong(escaped(contest.contestants[exampleContestant].label)), example->seed,
                       escaped(verdictOf(*example)));
}

}  // namespace

std::string warningBox(const std::string& what, const std::string& text) {
    return fmt::format("<p class=\"alarm\" role=\"alert\"><strong>⚠ {}</strong> {}</p>\n", what, text);
}

std::string answerText(const Contest& contest, const Outcome& outcome, std::size_t program) {
    if (!outcome.hasResult) return "<strong>No answer:</strong> no search has a result.";
    if (outcome.best == nullptr) return "<strong>No answer:</strong> no result passed all checks.";
    const std::string others = othersText(contest, outcome, program);
    return winnersText(contest, outcome, program) + (others.empty() ? "" : " " + others);
}

std::string overallAnswerText(const Contest& contest, const std::vector<Outcome>& outcomes) {
    std::vector<std::size_t> shared;  // programs with a confirmed result of every contestant
    std::vector<std::size_t> wins(contest.contestants.size());
    std::size_t answered = 0;
    for (std::size_t p = 0; p < outcomes.size(); ++p) {
        if (std::ranges::none_of(outcomes[p].confirmed, [](const Run* run) { return run == nullptr; })) {
            shared.push_back(p);
        }
        answered += outcomes[p].best != nullptr ? 1 : 0;
        for (std::size_t c = 0; c < wins.size(); ++c)
            wins[c] += outcomes[p].isImproved() && outcomes[p].isWinner(c) ? 1 : 0;
    }
    if (answered == 0) return "<strong>No answer:</strong> no result of any program passed all checks.";
    std::string text;
    if (!shared.empty()) {
        double start = 0.0;
        std::vector<double> totals(contest.contestants.size());
        for (const std::size_t p : shared) {
            start += outcomes[p].startCost;
            for (std::size_t c = 0; c < totals.size(); ++c) totals[c] += outcomes[p].confirmed[c]->bestCost;
        }
        const double least = *std::ranges::min_element(totals);
        std::vector<std::size_t> winners;
        for (std::size_t c = 0; c < totals.size(); ++c) {
            if (isSameCost(totals[c], least)) winners.push_back(c);
        }
        const std::string over = shared.size() == outcomes.size()
                                     ? fmt::format("Over {} programs", outcomes.size())
                                     : fmt::format("Over the {} of {} programs that every strategy finished",
                                                   shared.size(), outcomes.size());
        if (least >= start || isSameCost(least, start)) {
            text = fmt::format("{}, no strategy found a total below that of the starts, {}.", over,
                               strong(costHtml(start, contest.unit)));
        } else {
            text = fmt::format("{}, {} {} the least total cost: {}, {}.", over, labelsOf(contest, winners),
                               winners.size() == 1 ? "found" : "tie for", strong(costHtml(least, contest.unit)),
                               farHtml(least, start, "the starts"));
        }
    } else {
        text = "No program has a confirmed result of every strategy.";
    }
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < wins.size(); ++c) {
        if (wins[c] > 0) order.push_back(c);
    }
    if (order.empty()) return text + " No program became cheaper.";
    std::ranges::stable_sort(order, [&wins](std::size_t a, std::size_t b) { return wins[a] > wins[b]; });
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::min(order.size(), MostNames); ++i) {
        const std::size_t c = order[i];
        parts.push_back(
            fmt::format("{} for {}{}", strong(escaped(contest.contestants[c].label)), wins[c],
                        i == 0 ? fmt::format(" of {}", plural(outcomes.size(), "program", "programs")) : ""));
    }
    if (order.size() > MostNames) {
        parts.push_back(fmt::format("{} others for at most {}", wins.size() - MostNames, wins[order[MostNames]]));
    } else if (wins.size() > order.size()) {
        parts.push_back(fmt::format("{} for none", plural(wins.size() - order.size(), "other", "others")));
    }
    return text + fmt::format(" The cheapest program was found by {}.", listed(parts));
}

std::string warningBoxes(const Contest& contest, const std::vector<Outcome>& outcomes) {
    std::vector<std::string> boxes;
    for (std::size_t p = 0; p < outcomes.size(); ++p) {
        if (std::string text = wrongText(contest, p); !text.empty()) {
            boxes.push_back(warningBox(fmt::format("Wrong results{}.", inProgram(contest, p)), text));
        }
        if (const Run* doubtful = outcomes[p].doubtful; doubtful != nullptr) {
            const std::string than = outcomes[p].best != nullptr ? "cheaper than the answer, but not confirmed"
                                                                 : "the cheapest, but not confirmed";
            boxes.push_back(warningBox(
                fmt::format("Not confirmed{}.", inProgram(contest, p)),
                fmt::format("The result of {} with seed {}, {}, is {}: {}. Do not rely on it.",
                            strong(escaped(contest.contestants[outcomes[p].doubtfulContestant].label)), doubtful->seed,
                            costHtml(doubtful->bestCost, contest.unit), than, escaped(verdictOf(*doubtful)))));
        }
    }
    std::size_t failed = 0;
    std::size_t missing = 0;
    std::size_t unfinished = 0;
    std::set<std::string> reasons;
    for (const RunGroup& group : contest.groups) {
        for (const Run* run : group.runs) {
            failed += run->state == RunState::Failed ? 1 : 0;
            missing += run->state == RunState::NotRun ? 1 : 0;
            unfinished += run->state == RunState::Running || run->state == RunState::Interrupted ? 1 : 0;
            if (run->state == RunState::Failed) reasons.insert(escaped(shortened(run->stop, 300)));
        }
    }
    std::string html;
    for (std::size_t i = 0; i < std::min(boxes.size(), MostBoxes); ++i) html += boxes[i];
    if (boxes.size() > MostBoxes) {
        html += warningBox(fmt::format("And {} more.", boxes.size() - MostBoxes), "The tables name them all.");
    }
    if (failed > 0) {
        html += warningBox(
            "Failed.", fmt::format("{} failed: {}.", plural(failed, "search", "searches"), fmt::join(reasons, "; ")));
    }
    if (missing > 0) {
        html += warningBox("Stopped early.", plural(missing, "search was", "searches were") + " not run.");
    }
    if (unfinished > 0) {
        html += warningBox("Unfinished.", plural(unfinished, "search has", "searches have") + " not ended.");
    }
    return html;
}

}  // namespace mitos::search::report
