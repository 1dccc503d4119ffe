// SPDX-License-Identifier: GPL-3.0-or-later
// See claims.h.
#include "search/experiments/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace mitos::search::experiments {

namespace {

constexpr double Rounding = 1e-6;  // of gains, in percentage points
constexpr double Close = 2.0;      // the paper's "< 2 %"
constexpr double LeastSpeedup = 3.0;
constexpr double TimesFaster = 10.0;  // the aim over the paper's times
constexpr std::size_t PaperNetworks = 13;
constexpr std::string_view Exception = "nasnet-a";  // whose cost the paper's function overestimates

Verdict verdictOf(bool holds) { return holds ? Verdict::Holds : Verdict::Fails; }

std::string listed(const std::vector<std::string>& names) {
    return names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "));
}

const ApproachMean* meanOf(const std::vector<ApproachMean>& means, std::string_view name) {
    const auto found = std::ranges::find(means, approachNamed(name), &ApproachMean::approach);
    return found == means.end() ? nullptr : &*found;
}

/// Runs that the time limit ended decide nothing about gains: their e-graphs would have grown further.
Verdict verdictOf(bool holds, std::size_t outOfTime) { return outOfTime > 0 ? Verdict::Open : verdictOf(holds); }

/// A sentence about such runs; empty if there are none.
std::string limitText(std::size_t outOfTime) {
    return outOfTime > 0 ? fmt::format(" The time limit ended {} of these runs.", outOfTime) : std::string();
}

Claim paperFunction(const ExperimentResults& results) {
    Claim claim{"The paper's cost function equals ILP on the initial e-graph of every network but NASNet-A.",
                "section 4.2, Table 1", Verdict::Open, "Table 1 was not computed."};
    if (results.initial.empty()) return claim;
    std::vector<std::string> wrong;
    bool isException = false;
    bool hasException = false;
    for (const InitialCosts& costs : results.initial) {
        hasException = hasException || costs.program == Exception;
        if (costs.isPaperExact()) continue;
        isException = isException || costs.program == Exception;
        wrong.push_back(fmt::format("{} ({:.6g} instead of {:.6g})", costs.program, costs.paper, costs.exact));
    }
    const bool isAsInPaper = wrong.size() == (isException ? 1 : 0) && isException == hasException;
    claim.verdict = verdictOf(isAsInPaper);
    claim.finding = fmt::format("It differs from ILP on {} of {} networks: {}.", wrong.size(), results.initial.size(),
                                listed(wrong));
    return claim;
}

Claim defaultFunction(const ExperimentResults& results) {
    Claim claim{"egg's default cost function overestimates every network but VGG-19, which shares nothing.",
                "section 4.2, Table 1", Verdict::Open, "Table 1 was not computed."};
    if (results.initial.empty()) return claim;
    std::vector<std::string> exact;
    double most = 1.0;
    for (const InitialCosts& costs : results.initial) {
        if (costs.isTreeExact()) exact.push_back(costs.program);
        most = std::max(most, costs.tree / costs.exact);
    }
    const bool hasVgg = std::ranges::find(results.initial, "vgg-19", &InitialCosts::program) != results.initial.end();
    claim.verdict = verdictOf(exact == (hasVgg ? std::vector<std::string>{"vgg-19"} : std::vector<std::string>{}));
    claim.finding = fmt::format("It is right on: {}. At most it is {:.3g} times too large.", listed(exact), most);
    return claim;
}

Claim closeGains(const Summary& summary) {
    Claim claim{"The gain of OCF/ILP is within 2 % of that of ILP/ILP.", "section 5.2, Figure 5", Verdict::Open,
                "Runs of both are needed."};
    const ApproachMean* const greedy = meanOf(summary.figure5, "mcts-ocf-ilp");
    const ApproachMean* const exact = meanOf(summary.figure5, "mcts-ilp-ilp");
    if (greedy == nullptr || exact == nullptr) return claim;
    const std::size_t outOfTime = greedy->outOfTime + exact->outOfTime;
    claim.verdict = verdictOf(std::abs(greedy->gain - exact->gain) < Close, outOfTime);
    claim.finding = fmt::format("Mean gains over {} networks: {:.2f} % and {:.2f} %.{}", greedy->programs, greedy->gain,
                                exact->gain, limitText(outOfTime));
    return claim;
}

Claim fasterByFunction(const Summary& summary) {
    Claim claim{"OCF/ILP is 3 to 6 times faster than ILP/ILP.", "section 5.2, Figure 5", Verdict::Open,
                "Runs of both are needed."};
    const ApproachMean* const greedy = meanOf(summary.figure5, "mcts-ocf-ilp");
    const ApproachMean* const exact = meanOf(summary.figure5, "mcts-ilp-ilp");
    if (greedy == nullptr || exact == nullptr || greedy->seconds <= 0.0) return claim;
    const double times = exact->seconds / greedy->seconds;
    // Without its limit the exact approach would take longer.
    claim.verdict = verdictOf(times >= LeastSpeedup, times >= LeastSpeedup ? greedy->outOfTime : exact->outOfTime);
    claim.finding =
        fmt::format("Mean times over {} networks: {:.3g} s and {:.3g} s, a factor of {:.2g}.{}", greedy->programs,
                    greedy->seconds, exact->seconds, times, limitText(greedy->outOfTime + exact->outOfTime));
    return claim;
}

Claim worsens(const Summary& summary) {
    Claim claim{"DCF/DCF can make a network slower.", "section 5.2", Verdict::Open, "There are no runs of DCF/DCF."};
    std::vector<std::string> worse;
    std::size_t count = 0;
    for (const ResultRow& row : summary.rows) {
        if (approaches()[row.approach].name != "mcts-dcf-dcf") continue;
        ++count;
        if (row.worstGain < -Rounding) worse.push_back(fmt::format("{} ({:+.1f} %)", row.program, -row.worstGain));
    }
    if (count == 0) return claim;
    // That it does not happen on some of the networks does not refute it.
    claim.verdict = worse.empty() && count < PaperNetworks ? Verdict::Open : verdictOf(!worse.empty());
    claim.finding = fmt::format(
        "Extracted programs that cost more than the start, of {} networks: {}. The result that "
        "Mitos returns is then the start.",
        count, listed(worse));
    return claim;
}

Claim exactEnd(const Summary& summary) {
    Claim claim{"ILP at the end improves on a greedy end, under either cost function.", "section 5.2, Figure 5",
                Verdict::Open, "Runs of the four approaches are needed."};
    const ApproachMean* const dd = meanOf(summary.figure5, "mcts-dcf-dcf");
    const ApproachMean* const di = meanOf(summary.figure5, "mcts-dcf-ilp");
    const ApproachMean* const oo = meanOf(summary.figure5, "mcts-ocf-ocf");
    const ApproachMean* const oi = meanOf(summary.figure5, "mcts-ocf-ilp");
    if (dd == nullptr || di == nullptr || oo == nullptr || oi == nullptr) return claim;
    const std::size_t outOfTime = dd->outOfTime + di->outOfTime + oo->outOfTime + oi->outOfTime;
    claim.verdict = verdictOf(di->gain >= dd->gain - Rounding && oi->gain >= oo->gain - Rounding, outOfTime);
    claim.finding = fmt::format("DCF/DCF {:.2f} %, DCF/ILP {:.2f} %; OCF/OCF {:.2f} %, OCF/ILP {:.2f} %.{}", dd->gain,
                                di->gain, oo->gain, oi->gain, limitText(outOfTime));
    return claim;
}

/// Whether tree search gains at least as much as TENSAT on every network.
Claim neverWorse(const Summary& summary, std::string_view name) {
    const std::string label(approaches()[approachNamed(name)].label);
    Claim claim{label + " is never worse than TENSAT under the same costs.",
                name == "mcts" ? "aim of this project" : "section 5.3, Figure 6", Verdict::Open,
                "Runs of both are needed."};
    std::vector<std::string> worse;
    std::vector<std::string> better;
    std::vector<std::string> unended;
    std::size_t count = 0;
    for (const ResultRow& row : summary.rows) {
        if (approaches()[row.approach].name != name) continue;
        const ResultRow* const other = summary.row(row.program, "tensat");
        if (other == nullptr) continue;
        ++count;
        const double more = row.gain.mean - other->gain.mean;
        if (more < -Rounding && row.outOfTime > 0)
            unended.push_back(fmt::format("{} ({:+.2f} points)", row.program, more));
        else if (more < -Rounding)
            worse.push_back(fmt::format("{} ({:+.2f} points)", row.program, more));
        if (more > Rounding) better.push_back(fmt::format("{} ({:+.2f} points)", row.program, more));
    }
    if (count == 0) return claim;
    claim.verdict = worse.empty() && !unended.empty() ? Verdict::Open : verdictOf(worse.empty());
    claim.finding = fmt::format(
        "Of {} networks, worse: {}; better: {}; worse but ended by the time limit: {}; the others are equal.", count,
        listed(worse), listed(better), listed(unended));
    return claim;
}

Claim fewerRules(const Summary& summary) {
    Claim claim{"Tree search applies fewer different rules than TENSAT (32 and 33 against 38 of 139).",
                "section 5.3, Figures 7, 8, 10", Verdict::Open, "The three figures are needed."};
    const auto useOf = [&](std::string_view name) {
        const auto found = std::ranges::find(summary.rules, approachNamed(name), &RuleUse::approach);
        return found == summary.rules.end() || found->programs.empty() ? nullptr : &*found;
    };
    const RuleUse* const tensat = useOf("tensat");
    const RuleUse* const exact = useOf("mcts-ilp-ilp");
    const RuleUse* const greedy = useOf("mcts-ocf-ilp");
    if (tensat == nullptr || exact == nullptr || greedy == nullptr) return claim;
    if (tensat->programs != exact->programs || tensat->programs != greedy->programs) return claim;
    const std::size_t outOfTime = tensat->outOfTime + exact->outOfTime + greedy->outOfTime;
    claim.verdict =
        verdictOf(exact->rules.size() < tensat->rules.size() && greedy->rules.size() < tensat->rules.size(), outOfTime);
    claim.finding = fmt::format("On {} networks TENSAT applies {} rules, MCTS ILP/ILP {}, MCTS OCF/ILP {}.{}",
                                tensat->programs.size(), tensat->rules.size(), exact->rules.size(),
                                greedy->rules.size(), limitText(outOfTime));
    return claim;
}

Claim largerBudget(const Summary& summary) {
    Claim claim{"A larger search budget gives a larger gain in a longer time.", "section 5.3", Verdict::Open,
                "Runs with several budgets are needed."};
    if (summary.byBudget.size() < 2) return claim;
    const ApproachMean& least = summary.byBudget.front();
    const ApproachMean& most = summary.byBudget.back();
    const std::size_t outOfTime = least.outOfTime + most.outOfTime;
    claim.verdict = verdictOf(most.gain > least.gain + Rounding && most.seconds > least.seconds, outOfTime);
    claim.finding = fmt::format(
        "From budget {} to {}: {:.2f} % in {:.3g} s to {:.2f} % in {:.3g} s, over {} networks.{}", least.budget,
        most.budget, least.gain, least.seconds, most.gain, most.seconds, least.programs, limitText(outOfTime));
    return claim;
}

Claim leastBudget(const Summary& summary) {
    Claim claim{"With a search budget of 1, tree search behaves as TENSAT does.", "section 5.3", Verdict::Open,
                "Runs with budget 1 and of TENSAT are needed."};
    std::vector<std::string> apart;
    std::size_t count = 0;
    for (const ResultRow& row : summary.budgets) {
        const ResultRow* const other = summary.row(row.program, "tensat");
        if (row.budget != 1 || other == nullptr || row.outOfTime + other->outOfTime > 0) continue;
        ++count;
        const double more = row.gain.mean - other->gain.mean;
        if (std::abs(more) >= Close) apart.push_back(fmt::format("{} ({:+.1f} points)", row.program, more));
    }
    if (count == 0) return claim;
    claim.verdict = verdictOf(apart.empty());
    claim.finding =
        fmt::format("Gains that are 2 points or more apart, of {} networks whose runs ended by themselves: {}.", count,
                    listed(apart));
    return claim;
}

Claim fasterThanPaper(const Summary& summary, std::string_view name) {
    const std::string label(approaches()[approachNamed(name)].label);
    Claim claim{label + " takes at most a tenth of the paper's optimization time on every network.",
                "aim of this project", Verdict::Open, "There are no runs of it on the paper's networks."};
    std::vector<std::string> slower;
    std::size_t count = 0;
    for (const ResultRow& row : summary.rows) {
        if (approaches()[row.approach].name != name || !row.paper || row.seconds.mean <= 0.0) continue;
        ++count;
        const double times = row.paper->seconds.mean / row.seconds.mean;
        if (times < TimesFaster) slower.push_back(fmt::format("{} ({:.2g} times as fast)", row.program, times));
    }
    if (count == 0) return claim;
    claim.verdict = verdictOf(slower.empty());
    claim.finding = fmt::format("Of {} networks, those that do not reach it: {}.", count, listed(slower));
    return claim;
}

/// The paper concludes from Figures 6 and 14 that its approach does not depend on the hardware.
Claim independentOfDevice(const Summary& summary) {
    Claim claim{"Tree search (ILP/ILP) gains at least as much as TENSAT under the costs of either device.",
                "section 5.3, Figures 6 and 14", Verdict::Open, "Runs of both in both experiments are needed."};
    std::vector<std::string> worse;
    std::size_t count = 0;
    std::size_t better = 0;
    std::size_t outOfTime = 0;
    for (const DeviceRow& row : summary.devices) {
        if (approaches()[row.approach].name != "mcts-ilp-ilp") continue;
        const auto other = std::ranges::find_if(summary.devices, [&](const DeviceRow& candidate) {
            return candidate.program == row.program && approaches()[candidate.approach].name == "tensat";
        });
        if (other == summary.devices.end()) continue;
        ++count;
        outOfTime += row.outOfTime + other->outOfTime;
        const double here = row.here.mean - other->here.mean;
        const double there = row.there.mean - other->there.mean;
        if (here > Rounding && there > Rounding) ++better;
        if (std::min(here, there) < -Rounding)
            worse.push_back(fmt::format("{} ({:+.2f} and {:+.2f} points)", row.program, here, there));
    }
    if (count == 0) return claim;
    claim.verdict = verdictOf(worse.empty(), worse.empty() ? 0 : outOfTime);
    claim.finding =
        fmt::format("Of {} networks it gains more on both devices on {}, and less on one at least on: {}.{}", count,
                    better, listed(worse), limitText(outOfTime));
    return claim;
}

}  // namespace

std::vector<Claim> claimsOf(const ExperimentPlan& plan, const ExperimentResults& results, const Summary& summary) {
    std::vector<Claim> claims;
    const auto add = [&](std::initializer_list<Part> parts, const auto& make) {
        const bool isWanted = std::ranges::any_of(parts, [&](Part part) { return plan.parts.contains(part); });
        if (isWanted) claims.push_back(make());
    };
    add({Part::Table1}, [&] { return paperFunction(results); });
    add({Part::Table1}, [&] { return defaultFunction(results); });
    add({Part::Figure5}, [&] { return closeGains(summary); });
    add({Part::Figure5}, [&] { return fasterByFunction(summary); });
    add({Part::Table2, Part::Figure5}, [&] { return worsens(summary); });
    add({Part::Figure5}, [&] { return exactEnd(summary); });
    for (const char* const name : {"mcts-ocf-ilp", "mcts-ilp-ilp"}) {
        add({Part::Table2, Part::Figure6}, [&] { return neverWorse(summary, name); });
    }
    add({Part::Table2, Part::Figure6}, [&] { return neverWorse(summary, "mcts"); });
    add({Part::Figure7, Part::Figure8, Part::Figure10}, [&] { return fewerRules(summary); });
    add({Part::Budgets}, [&] { return largerBudget(summary); });
    add({Part::Budgets}, [&] { return leastBudget(summary); });
    for (const char* const name : {"tensat", "mcts-ocf-ilp", "mcts-ilp-ilp"}) {
        add({Part::Table2, Part::Figure6}, [&] { return fasterThanPaper(summary, name); });
    }
    if (plan.beside) claims.push_back(independentOfDevice(summary));
    return claims;
}

}  // namespace mitos::search::experiments
