// SPDX-License-Identifier: GPL-3.0-or-later
// See series.h.
#include "search/series.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace mitos::search {

void SeriesObserver::onEvent(const SearchEvent& event) {
    if (event.kind == EventKind::Finished) return;
    const bool first = m_runs == 0;
    if (event.kind == EventKind::Started) {
        ++m_runs;
        if (!first) return;
        m_best = event.best;
    }
    if (event.kind == EventKind::Improved && event.best >= m_best) return;
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

void SeriesObserver::nextRun(const SearchStatistics& used, double seconds, std::size_t steps) {
    m_seconds = seconds;
    m_evaluations = used.evaluations;
    m_states = used.states;
    m_steps = static_cast<std::uint32_t>(steps);
}

void SeriesObserver::finished(const SearchResult& result) {
    m_next.onEvent({.kind = EventKind::Finished,
                    .seconds = result.statistics.seconds,
                    .evaluations = result.statistics.evaluations,
                    .states = result.statistics.states,
                    .frontier = 0,
                    .memoryBytes = result.statistics.memoryBytes,
                    .cost = result.bestCost,
                    .best = result.bestCost,
                    .pathLength = static_cast<std::uint32_t>(result.thread.steps.size()),
                    .rule = {},
                    .reason = result.reason});
}

void UncountedObserver::onEvent(const SearchEvent& event) {
    SearchEvent uncounted = event;
    uncounted.evaluations = std::min<std::uint64_t>(event.evaluations, 1);  // the start, which every run values
    uncounted.states = std::min<std::uint64_t>(event.states, 1);
    m_next.onEvent(uncounted);
}

void add(SearchStatistics& total, const SearchStatistics& run) {
    total.evaluations += run.evaluations;
    total.states += run.states;
    total.expansions += run.expansions;
    total.rewrites += run.rewrites;
    total.memoryBytes = std::max(total.memoryBytes, run.memoryBytes);
}

SearchResult joined(const SearchResult& before, SearchResult further) {
    rewrite::Thread thread = rewrite::transplant(*before.bank, before.thread, *further.bank);
    assert(thread.end().root == further.thread.start.root);
    std::ranges::move(further.thread.steps, std::back_inserter(thread.steps));
    std::ranges::copy(further.thread.states, std::back_inserter(thread.states));
    std::vector<double> costs = before.costs;
    costs.insert(costs.end(), further.costs.begin() + 1, further.costs.end());
    further.thread = std::move(thread);
    further.costs = std::move(costs);
    further.initialCost = before.initialCost;
    further.check = rewrite::check(*further.bank, further.thread);
    return further;
}

}  // namespace mitos::search
