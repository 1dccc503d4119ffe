// SPDX-License-Identifier: GPL-3.0-or-later
// Reports, counts and checks several runs as one search; the basis of restarts and phases.
#pragma once

#include "search/strategy.h"

#include <cstdint>

namespace mitos::search {

/// Turns the events of a series of runs into those of one search. Finished events of the runs are dropped; finished() reports the
/// end of the series.
class SeriesObserver final : public Observer {
public:
    explicit SeriesObserver(Observer& next) : m_next(next) {}

    void onEvent(const SearchEvent& event) override;
    void onBest(FindBest find) override;

    /// Prepares for the next run. `used` and `seconds` are the totals of the runs so far, `steps` the number of steps from the start
    /// to where the next run begins. `before` is the result of the runs so far (the next run begins at its end or at its start) and
    /// must not change until the next call; null before the first run.
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
    double m_runBest = 0.0;  ///< the best cost of the current run
    std::uint32_t m_pathLength = 0;
};

/// For runs of a series that do not count towards the budget, such as simplification: forwards their events, with at most one
/// evaluation and one state (the start).
class UncountedObserver final : public Observer {
public:
    explicit UncountedObserver(Observer& next) : m_next(next) {}

    void onEvent(const SearchEvent& event) override;
    void onBest(FindBest find) override { m_next.onBest(find); }

private:
    Observer& m_next;
};

/// The better of two programs: the best in `before`, and the best of a run that began at the end of `before` and whose least cost
/// so far is `runBest`. `find` is called only if `runBest` is lower.
[[nodiscard]] std::optional<BestSoFar> bestAfter(const SearchResult& before, double runBest, FindBest find);

/// The Finished event of a search that consists of several runs.
[[nodiscard]] SearchEvent finishedEvent(const SearchResult& result);

/// Adds the statistics of a run to the total. An expression that several runs price counts in each; memory is the maximum.
void add(SearchStatistics& total, const SearchStatistics& run);

/// Moves the result's thread to a new bank that holds nothing else, so that the run's other terms are freed before the next run.
void compact(SearchResult& result);

/// Concatenates `before` and `further`, which starts where `before` ends, to the result of one search; the whole thread is checked.
[[nodiscard]] SearchResult joined(const SearchResult& before, SearchResult further);

}  // namespace mitos::search
