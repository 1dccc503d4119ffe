// SPDX-License-Identifier: GPL-3.0-or-later
// See knossos_claims.h.
#include "search/experiments/knossos_claims.h"

#include "search/experiments/knossos_tables.h"
#include "search/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace mitos::search::experiments {

namespace {

constexpr const char* KnossosAim = "aim of this project";
constexpr double FewerTimes = 5.0;
constexpr double FastStates = 20'000.0;
constexpr std::uint64_t SmallBudget = 300;

const KnossosMethod& namedMethod(std::string_view name) { return *findKnossosMethod(name); }

std::string missingRuns(std::string_view method, KnossosTask task) {
    return fmt::format("There are no runs of {} for {}.", namedMethod(method).title, infoOf(task).name);
}

/// A method comes to the paper's total with the largest number of evaluations.
Claim reachesTotal(const KnossosResults& results, KnossosTask task, std::string_view method, std::string place) {
    const std::uint64_t budget = results.plan().mostEvaluations();
    const double limit = results.paperOf(task, "knossos").value_or(0.0);
    Claim claim{fmt::format("{}: A* with a trained value function ({}) comes to a total of {:g} within {} evaluations "
                            "of each program, in at least nine of ten repetitions.",
                            infoOf(task).title, namedMethod(method).title, limit, groupedText(budget)),
                std::move(place), Verdict::Open, missingRuns(method, task)};
    const std::vector<double> totals = results.totals(ownKey(task, namedMethod(method)), budget);
    if (totals.empty()) return claim;
    const auto successes = static_cast<std::size_t>(
        std::ranges::count_if(totals, [limit](double total) { return total <= limit + 1e-9; }));
    claim.verdict = nineOfTen(successes, totals.size());
    claim.finding =
        fmt::format("It does in {} of {} repetitions; the total is {}.", successes, totals.size(), totalText(totals));
    return claim;
}

/// The trained A* beats all searches without learning with few evaluations.
Claim beatsUnlearned(const KnossosResults& results, KnossosTask task) {
    const std::vector<std::uint64_t>& budgets = results.plan().budgets;
    const std::uint64_t budget =
        std::ranges::find(budgets, SmallBudget) != budgets.end() ? SmallBudget : budgets.front();
    Claim claim{fmt::format("{}: with {} evaluations of each program, A* with a trained value function is better than "
                            "every search without learning.",
                            infoOf(task).title, groupedText(budget)),
                KnossosAim, Verdict::Open, missingRuns(KnossosOurs, task)};
    const std::vector<double> totals = results.totals(ownKey(task, namedMethod(KnossosOurs)), budget);
    if (totals.empty()) return claim;
    const auto best = results.bestUnlearned(task, budget);
    if (!best) {
        claim.finding = "There are no runs without learning.";
        return claim;
    }
    const double reference = meanOf(results.totals(*best, budget));
    std::vector<double> gains;
    for (const double total : totals) gains.push_back(reference - total);
    claim.verdict = exceeds(intervalMean(gains), 0.0);
    claim.finding = fmt::format("Its total is {}; the best without learning is {} with {:.2f}.", totalText(totals),
                                results.title(*best), reference);
    return claim;
}

/// It comes to a total without learning sooner: to the best of all, or to that of a reference.
Claim needsLess(const KnossosResults& results, KnossosTask task, bool inSeconds,
                const KnossosMethod* reference = nullptr) {
    const std::uint64_t budget = results.plan().mostEvaluations();
    const std::string matched =
        reference == nullptr ? std::string("the best search without learning") : std::string(reference->title);
    Claim claim{
        fmt::format("{}: the trained A* comes to the total that {} has with {} evaluations {}.", infoOf(task).title,
                    matched, groupedText(budget), inSeconds ? "in less time" : "with five times fewer"),
        KnossosAim, Verdict::Open, missingRuns(KnossosOurs, task)};
    const std::optional<KnossosTarget> target = results.target(task, reference);
    if (!target && reference != nullptr) claim.finding = missingRuns(reference->name, task);
    if (!target && reference == nullptr) claim.finding = "There are no runs without learning.";
    const KnossosEfforts own =
        target ? results.efforts(ownKey(task, namedMethod(KnossosOurs)), target->total) : KnossosEfforts();
    if (own.runs == 0) return claim;
    if (!target->effort) {
        claim.finding = "No search without learning comes to its mean in every repetition.";
        return claim;
    }
    const auto of = [&](const KnossosEffort& effort) { return inSeconds ? effort.seconds : effort.evaluations; };
    const double least = of(*target->effort);
    // A repetition that does not come there is no times faster.
    std::vector<double> times(own.runs - own.reached.size(), 0.0);
    double sum = 0.0;
    for (const KnossosEffort& effort : own.reached) {
        times.push_back(least / std::max(of(effort), 1e-9));
        sum += of(effort);
    }
    claim.verdict = inSeconds ? exceeds(intervalMean(times), 1.0) : reaches(intervalMean(times), FewerTimes);
    claim.finding = fmt::format("{} of {} repetitions come to {:.2f}.", own.reached.size(), own.runs, target->total);
    if (own.reached.empty()) return claim;
    const auto amount = [&](double number) {
        return inSeconds ? report::durationText(number) : fmt::format("{:.0f} evaluations", number);
    };
    claim.finding +=
        fmt::format(" These need {} for each program; without learning it takes {}: {} times.",
                    amount(sum / static_cast<double>(own.reached.size())), amount(least), totalText(times));
    return claim;
}

/// One method has a lower total than another with the largest number of evaluations.
Claim lowerTotal(const KnossosResults& results, KnossosTask task, std::string_view one, std::string_view other,
                 std::string text) {
    const std::uint64_t budget = results.plan().mostEvaluations();
    Claim claim{std::move(text), fmt::format("section 5, {}", infoOf(task).figure), Verdict::Open,
                missingRuns(one, task)};
    const std::vector<double> totals = results.totals(ownKey(task, namedMethod(one)), budget);
    const std::vector<double> others = results.totals(ownKey(task, namedMethod(other)), budget);
    if (totals.empty()) return claim;
    if (others.empty()) {
        claim.finding = missingRuns(other, task);
        return claim;
    }
    // Repetitions have the same seeds; what is not randomized has one total for all.
    std::vector<double> gains;
    for (std::size_t i = 0; i < totals.size(); ++i)
        gains.push_back((others.size() == totals.size() ? others[i] : meanOf(others)) - totals[i]);
    claim.verdict = exceeds(intervalMean(gains), 0.0);
    claim.finding = fmt::format("{}: {}. {}: {}.", namedMethod(one).title, totalText(totals), namedMethod(other).title,
                                totalText(others));
    return claim;
}

Claim fastValues(const KnossosResults& results) {
    Claim claim{fmt::format("The network over terms rates at least {} states a second on one core.",
                            groupedText(static_cast<std::uint64_t>(FastStates))),
                KnossosAim, Verdict::Open, "It was not measured."};
    std::string text;
    std::vector<double> speeds;
    for (const std::string_view name : {std::string_view("terms-plain"), KnossosOurs}) {
        std::vector<double> own;
        for (const KnossosTaskInfo& info : knossosTasks()) {
            for (const KnossosRecord* const record : results.of(info.task, namedMethod(name))) {
                if (record->statesPerSecond > 0.0) own.push_back(record->statesPerSecond);
            }
        }
        if (own.empty()) continue;
        text += fmt::format("{}{}: {:.0f}", text.empty() ? "" : "; ", namedMethod(name).title, meanOf(own));
        speeds = own;
    }
    if (speeds.empty()) return claim;
    claim.verdict = reaches(intervalMean(speeds), FastStates);
    claim.finding = text + " states a second, with all that is computed for them.";
    return claim;
}

}  // namespace

Verdict nineOfTen(std::size_t successes, std::size_t repetitions) {
    const std::size_t allowed = std::max(repetitions, DecidingCount) / DecidingCount;
    if (repetitions - successes > allowed) return Verdict::Fails;
    return repetitions >= DecidingCount ? Verdict::Holds : Verdict::Open;
}

std::vector<Claim> knossosClaims(const KnossosResults& results) {
    std::vector<Claim> claims;
    for (const KnossosTaskInfo& info : knossosTasks()) {
        if (!results.has(info.task)) continue;
        claims.push_back(reachesTotal(results, info.task, KnossosOurs, KnossosAim));
        claims.push_back(beatsUnlearned(results, info.task));
        claims.push_back(needsLess(results, info.task, false));
        claims.push_back(needsLess(results, info.task, true));
        claims.push_back(needsLess(results, info.task, false, &namedMethod("astar-potential")));
        claims.push_back(needsLess(results, info.task, false, &namedMethod("astar-zero")));
        claims.push_back(reachesTotal(results, info.task, KnossosAsPrinted, fmt::format("section 5, {}", info.figure)));
        claims.push_back(
            lowerTotal(results, info.task, KnossosGraph, KnossosFlat,
                       fmt::format("{}: the paper's network is better with recurrence than without.", info.title)));
        claims.push_back(lowerTotal(results, info.task, KnossosOurs, "greedy-zero",
                                    fmt::format("{}: a trained A* is better than greedy search.", info.title)));
        claims.push_back(lowerTotal(results, info.task, KnossosOurs, "random",
                                    fmt::format("{}: a trained A* is better than random search.", info.title)));
    }
    claims.push_back(fastValues(results));
    return claims;
}

}  // namespace mitos::search::experiments
