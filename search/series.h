// SPDX-License-Identifier: GPL-3.0-or-later
// Several runs that are told, counted and checked as one search: what restarts and phases are made of.
#pragma once

#include "search/strategy.h"

#include <cstdint>

namespace mitos::search {

/// Makes the events of a series of runs those of one search. Its Finished event is the series' own to report.
class SeriesObserver final : public Observer {
public:
    explicit SeriesObserver(Observer& next) : m_next(next) {}

    void onEvent(const SearchEvent& event) override;
    void onBest(FindBest find) override;

    /// What the runs so far have used, and the steps from the start to where the next begins. `before` is what they found (the
    /// next run begins at its end, or at its start); it stays as it is until the next call. Null: this is the first.
    void nextRun(const SearchStatistics& used, double seconds, std::size_t steps, const SearchResult* before);
    /// Reports the end of the series.
    void finished(const SearchResult& result);

private:
    Observer& m_next;
    int m_runs = 0;
    double m_best = 0.0;
    double m_seconds = 0.0;
    std::uint64_t m_evaluations = 0;
    std::uint64_t m_states = 0;
    std::uint32_t m_steps = 0;
    const SearchResult* m_before = nullptr;
    double m_runBest = 0.0;  ///< of the run that goes on
    std::uint32_t m_pathLength = 0;
};

/// For the runs of a series that are no search, and cost nothing: passes their events on without what they evaluated.
class UncountedObserver final : public Observer {
public:
    explicit UncountedObserver(Observer& next) : m_next(next) {}

    void onEvent(const SearchEvent& event) override;
    void onBest(FindBest find) override { m_next.onBest(find); }

private:
    Observer& m_next;
};

/// The best of what `before` found and of what a run has found that began at its end and has met `runBest`; `find` is asked only if
/// that is less.
[[nodiscard]] std::optional<BestSoFar> bestAfter(const SearchResult& before, double runBest, FindBest find);

/// That a search of several runs has come to its end.
[[nodiscard]] SearchEvent finishedEvent(const SearchResult& result);

/// Adds what a run used. An expression that several runs cost counts in each; memory is that of the largest.
void add(SearchStatistics& total, const SearchStatistics& run);

/// Leaves the result a bank with its thread alone: what a run has met is not held while the next one goes on.
void compact(SearchResult& result);

/// `further`, which starts where `before` ends, as one search from the start of `before`, checked as a whole.
[[nodiscard]] SearchResult joined(const SearchResult& before, SearchResult further);

}  // namespace mitos::search
