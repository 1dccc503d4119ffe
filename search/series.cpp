// SPDX-License-Identifier: GPL-3.0-or-later
// See series.h.
#include "search/series.h"

#include "search/cost_order.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

namespace mitos::search {

namespace {

void append(rewrite::Thread& thread, rewrite::Thread further) {
    std::ranges::move(further.steps, std::back_inserter(thread.steps));
    std::ranges::copy(further.states, std::back_inserter(thread.states));
}

}  // namespace

double SeriesBudget::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_started).count();
}

SearchStatistics SeriesBudget::used() const {
    SearchStatistics used = m_used;
    used.seconds = seconds();
    return used;
}

void SeriesBudget::add(const SearchStatistics& run) {
    m_used.evaluations += run.evaluations;
    m_used.states += run.states;
    m_used.expansions += run.expansions;
    m_used.rewrites += run.rewrites;
    m_used.memoryBytes = std::max(m_used.memoryBytes, run.memoryBytes);
}

std::optional<StopReason> SeriesBudget::usedUp() const {
    if (m_whole.evaluations && m_used.evaluations >= *m_whole.evaluations) return StopReason::Evaluations;
    if (m_whole.states && m_used.states >= *m_whole.states) return StopReason::States;
    if (m_whole.seconds && seconds() >= *m_whole.seconds) return StopReason::Seconds;
    return std::nullopt;
}

Budget SeriesBudget::next(absl::FunctionRef<double(double whole, double left)> share) const {
    Budget budget = m_whole;
    const auto cut = [&share](std::optional<std::uint64_t>& limit, std::uint64_t used) {
        if (!limit) return;
        const std::uint64_t left = *limit - std::min(*limit, used);
        const double part = std::round(share(static_cast<double>(*limit), static_cast<double>(left)));
        // All that is left is not converted back: as a double, a large number is rounded, and may not fit any more.
        const bool isAll = part >= static_cast<double>(left);
        limit = std::max<std::uint64_t>(1, isAll ? left : static_cast<std::uint64_t>(part));
    };
    cut(budget.evaluations, m_used.evaluations);
    cut(budget.states, m_used.states);
    if (budget.seconds) budget.seconds = share(*budget.seconds, *budget.seconds - seconds());
    return budget;
}

void SeriesObserver::onEvent(const SearchEvent& event) {
    if (event.is<Finished>()) return;
    m_runBest = event.best;
    const bool first = m_runs == 0;
    if (event.is<Started>()) {
        ++m_runs;
        if (!first) return;
        m_best = event.best;
    }
    if (event.is<Improved>() && event.best >= m_best) return;
    SearchEvent shifted = event;
    shifted.seconds += m_seconds;
    shifted.evaluations += m_evaluations;
    shifted.states += m_states;
    if (event.best < m_best) {
        m_best = event.best;
        m_pathLength = m_steps + event.pathLength;
    }
    shifted.best = m_best;
    shifted.pathLength = m_pathLength;
    m_next.onEvent(shifted);
}

std::optional<BestSoFar> bestAfter(const SearchResult& before, double runBest, FindBest find) {
    const std::vector<double>& costs = before.costs;
    const auto least = std::ranges::min_element(costs);
    if (!(runBest < *least)) {
        const auto bank = std::make_shared<ir::TermBank>(before.bank->sharedRegistry());
        rewrite::Thread thread = rewrite::transplant(*before.bank, before.thread, *bank);
        thread.steps.resize(static_cast<std::size_t>(least - costs.begin()));
        thread.states.resize(thread.steps.size());
        return BestSoFar{bank, std::move(thread), {costs.begin(), least + 1}};
    }
    std::optional<BestSoFar> further = find();
    if (!further || before.thread.steps.empty()) return further;
    rewrite::Thread thread = rewrite::transplant(*before.bank, before.thread, *further->bank);
    if (thread.end().root != further->thread.start.root) return std::nullopt;
    append(thread, std::move(further->thread));
    std::vector<double> all = costs;
    all.insert(all.end(), further->costs.begin() + 1, further->costs.end());
    return BestSoFar{further->bank, std::move(thread), std::move(all)};
}

void SeriesObserver::onBest(FindBest find) {
    m_next.onBest([&]() -> std::optional<BestSoFar> {
        if (m_before == nullptr) return find();
        const bool isBetter = m_runBest < *std::ranges::min_element(m_before->costs);
        if (isBetter && m_steps == 0) return find();  // the run began at the start
        return bestAfter(*m_before, m_runBest, find);
    });
}

void SeriesObserver::nextRun(const SearchStatistics& used, std::size_t steps, const SearchResult* before) {
    m_before = before;
    m_seconds = used.seconds;
    m_evaluations = used.evaluations;
    m_states = used.states;
    m_steps = static_cast<std::uint32_t>(steps);
}

void SeriesObserver::corrected(double best, std::size_t steps) {
    m_best = best;
    m_pathLength = static_cast<std::uint32_t>(steps);
}

void SeriesObserver::finished(const SearchResult& result) { m_next.onEvent(finishedEvent(result)); }

SearchEvent finishedEvent(const SearchResult& result) {
    return {.what = Finished{result.reason},
            .seconds = result.statistics.seconds,
            .evaluations = result.statistics.evaluations,
            .states = result.statistics.states,
            .frontier = 0,
            .memoryBytes = result.statistics.memoryBytes,
            .cost = result.bestCost,
            .best = result.bestCost,
            .pathLength = static_cast<std::uint32_t>(result.thread.steps.size()),
            .part = result.statistics.part};
}

void UncountedObserver::onEvent(const SearchEvent& event) {
    SearchEvent uncounted = event;
    uncounted.evaluations = std::min<std::uint64_t>(event.evaluations, 1);  // the start, which every run evaluates
    uncounted.states = std::min<std::uint64_t>(event.states, 1);
    m_next.onEvent(uncounted);
}

void compact(SearchResult& result) {
    auto kept = std::make_shared<ir::TermBank>(result.bank->sharedRegistry());
    result.thread = rewrite::transplant(*result.bank, result.thread, *kept);
    result.bank = std::move(kept);
}

SearchResult cheapestPart(const std::shared_ptr<ir::TermBank>& bank, rewrite::Thread thread,
                          std::vector<double> costs) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < costs.size(); ++i) {
        if (isLower(costs[i], costs[best])) best = i;
    }
    thread.steps.resize(best);
    thread.states.resize(best);
    costs.resize(best + 1);
    SearchResult result;
    result.bank = bank;
    result.thread = std::move(thread);
    result.costs = std::move(costs);
    result.initialCost = result.costs.front();
    result.bestCost = result.costs.back();
    result.check = rewrite::check(*bank, result.thread);
    compact(result);
    return result;
}

SearchResult joined(const SearchResult& before, SearchResult further) {
    rewrite::Thread thread = rewrite::transplant(*before.bank, before.thread, *further.bank);
    assert(thread.end().root == further.thread.start.root);
    append(thread, std::move(further.thread));
    std::vector<double> costs = before.costs;
    costs.insert(costs.end(), further.costs.begin() + 1, further.costs.end());
    further.thread = std::move(thread);
    further.costs = std::move(costs);
    further.initialCost = before.initialCost;
    further.notes.insert(further.notes.begin(), before.notes.begin(), before.notes.end());
    further.dropped.insert(further.dropped.begin(), before.dropped.begin(), before.dropped.end());
    further.check = rewrite::check(*further.bank, further.thread);
    return further;
}

}  // namespace mitos::search
