// SPDX-License-Identifier: GPL-3.0-or-later
// See contest.h.
#include "search/report/internal/contest.h"

#include "search/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace mitos::search::report {

namespace {

/// The settings that the runs of a contestant share.
auto question(const Run& run) {
    return std::tie(run.strategy, run.parameters, run.rules, run.costModel, run.budget.seconds, run.budget.states,
                    run.budget.memoryBytes, run.allowsAssumptions, run.appliesFailedRules);
}

std::uint64_t limitOf(const RunGroup& group) {
    return group.asked().budget.evaluations.value_or(std::numeric_limits<std::uint64_t>::max());
}

/// Adds to equal labels what tells their contestants apart, at last a number.
void tellApart(std::vector<Contestant>& contestants) {
    const auto refine = [&contestants](const auto& more) {
        std::map<std::string, std::size_t> uses;
        for (const Contestant& one : contestants) ++uses[one.label];
        std::map<std::string, std::size_t> number;
        for (Contestant& one : contestants) {
            if (uses[one.label] < 2) continue;
            if (const std::string text = more(one, ++number[one.label]); !text.empty()) one.label += ", " + text;
        }
    };
    refine([](const Contestant& one, std::size_t) { return one.parameters; });
    refine([](const Contestant& one, std::size_t) {
        Budget budget = one.asked->budget;
        budget.evaluations.reset();
        return budget == Budget() ? std::string() : toString(budget);
    });
    refine([](const Contestant& one, std::size_t) { return one.asked->rules; });
    refine([](const Contestant& one, std::size_t) { return one.asked->costModel; });
    refine([](const Contestant& one, std::size_t) {
        return std::string(one.asked->allowsAssumptions ? "with assumptions" : "");
    });
    refine([](const Contestant&, std::size_t number) { return fmt::format("no. {}", number); });
}

}  // namespace

bool isCounted(const Run& run) { return run.state == RunState::Finished && !(run.verdict && run.verdict->isRefuted()); }

bool isConfirmed(const Run& run) { return run.state == RunState::Finished && run.verdict && run.verdict->isGood(); }

Contest::Contest(std::span<const TableRun> runs, std::span<const StrategyInfo> strategies, std::string costUnit)
    : unit(std::move(costUnit)),
      groups(groupedRuns(runs)) {
    for (const RunGroup& group : groups) {
        std::string subject = subjectOf(group.program, group.from);
        if (std::ranges::find(programs, subject) != programs.end()) continue;
        programs.push_back(std::move(subject));
        from.push_back(group.from);
    }
    for (const RunGroup& group : groups) {
        const auto same = [&group](const Contestant& one) { return question(*one.asked) == question(group.asked()); };
        auto found = std::ranges::find_if(contestants, same);
        if (found == contestants.end()) {
            Contestant& one = contestants.emplace_back();
            one.asked = &group.asked();
            one.label = strategyLabel(group.asked(), strategies);
            one.parameters = ownParameters(group.asked(), strategies);
            one.style = contestants.size() - 1;
            one.groups.resize(programs.size());
            found = contestants.end() - 1;
        }
        const auto program = static_cast<std::size_t>(
            std::ranges::find(programs, subjectOf(group.program, group.from)) - programs.begin());
        found->groups[program].push_back(&group);
    }
    for (Contestant& one : contestants) {
        for (auto& ofProgram : one.groups) {
            std::ranges::stable_sort(ofProgram, {}, [](const RunGroup* group) { return limitOf(*group); });
        }
    }
    tellApart(contestants);
}

std::vector<std::size_t> Contest::completePrograms() const {
    std::vector<std::size_t> complete;
    for (std::size_t p = 0; p < programs.size(); ++p) {
        const bool all = std::ranges::all_of(contestants, [p](const Contestant& one) {
            const RunGroup* group = one.group(p);
            return group != nullptr && std::ranges::all_of(group->runs, [](const Run* run) { return isCounted(*run); });
        });
        if (all) complete.push_back(p);
    }
    return complete;
}

bool Contest::hasSeveralLimits() const {
    return std::ranges::any_of(contestants, [](const Contestant& one) {
        return std::ranges::any_of(one.groups, [](const auto& ofProgram) { return ofProgram.size() > 1; });
    });
}

std::vector<const Run*> countedRuns(const RunGroup& group) {
    std::vector<const Run*> counted;
    std::ranges::copy_if(group.runs, std::back_inserter(counted), [](const Run* run) { return isCounted(*run); });
    std::ranges::stable_sort(counted, {}, [](const Run* run) { return run->bestCost; });
    return counted;
}

std::vector<std::vector<const Run*>> curvesOf(const Contestant& contestant, const std::vector<std::size_t>& programs) {
    std::map<std::pair<std::uint64_t, int>, std::vector<const Run*>> bySeed;  // and by how often the seed occurred
    for (const std::size_t p : programs) {
        const RunGroup* group = contestant.group(p);
        if (group == nullptr) continue;
        std::map<std::uint64_t, int> uses;
        for (const Run* run : group->runs) {
            if (isCounted(*run) && !curveOf(*run).empty()) bySeed[{run->seed, uses[run->seed]++}].push_back(run);
        }
    }
    std::vector<std::vector<const Run*>> curves;
    for (auto& [seed, runs] : bySeed) {
        if (runs.size() == programs.size()) curves.push_back(std::move(runs));
    }
    return curves;
}

bool Outcome::isImproved() const {
    return best != nullptr && best->bestCost < initialCost && !isSameCost(best->bestCost, initialCost);
}

bool Outcome::isWinner(std::size_t contestant) const {
    const Run* own = confirmed[contestant];
    return best != nullptr && own != nullptr && isSameCost(own->bestCost, best->bestCost);
}

Outcome outcomeOf(const Contest& contest, std::size_t program) {
    Outcome outcome;
    const auto isCheaper = [](const Run& run, const Run* than) {
        return than == nullptr || (run.bestCost < than->bestCost && !isSameCost(run.bestCost, than->bestCost));
    };
    const Run* first = nullptr;
    for (const Contestant& one : contest.contestants) {
        const Run*& own = outcome.confirmed.emplace_back(nullptr);
        // The largest limit first, which wins ties.
        for (auto group = one.groups[program].rbegin(); group != one.groups[program].rend(); ++group) {
            for (const Run* run : (*group)->runs) {
                if (run->state != RunState::Finished) continue;
                if (first == nullptr) first = run;
                if (isConfirmed(*run) && isCheaper(*run, own)) own = run;
            }
        }
        if (own != nullptr && isCheaper(*own, outcome.best)) outcome.best = own;
    }
    outcome.hasResult = first != nullptr;
    if (first != nullptr) {
        outcome.initialCost = outcome.best != nullptr ? outcome.best->initialCost : first->initialCost;
        const std::optional<Beginning>& from = contest.from[program];
        outcome.startCost = from ? from->startCost : outcome.initialCost;
    }
    for (std::size_t c = 0; c < contest.contestants.size(); ++c) {
        for (const RunGroup* group : contest.contestants[c].groups[program]) {
            for (const Run* run : group->runs) {
                if (!isCounted(*run) || isConfirmed(*run)) continue;
                if (!isCheaper(*run, outcome.best) || !isCheaper(*run, outcome.doubtful)) continue;
                outcome.doubtful = run;
                outcome.doubtfulContestant = c;
            }
        }
    }
    return outcome;
}

}  // namespace mitos::search::report
