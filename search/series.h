// SPDX-License-Identifier: GPL-3.0-or-later
// Reports, counts and checks several runs as one search; the basis of restarts and phases.
#pragma once

#include "search/strategy.h"

#include <absl/functional/function_ref.h>

#include <chrono>
#include <cstdint>
#include <optional>

namespace mitos::search {

/// The budget of a search that consists of several runs, and what they have used of it since the search began.
class SeriesBudget {
public:
    explicit SeriesBudget(const Budget& whole) : m_whole(completed(whole)) {}

    [[nodiscard]] const Budget& whole() const { return m_whole; }
    [[nodiscard]] double seconds() const;
    /// The sums over the runs, with the time of the whole search.
    [[nodiscard]] SearchStatistics used() const;
    /// An expression that several runs price counts in each; memory is the maximum.
    void add(const SearchStatistics& run);
    /// The limit that is reached, if any.
    [[nodiscard]] std::optional<StopReason> usedUp() const;
    /// The budget of the next run: of each limit the part that `share(whole, left)` gives, at least one evaluation and one state.
    [[nodiscard]] Budget next(absl::FunctionRef<double(double whole, double left)> share) const;

private:
    Budget m_whole;
    std::chrono::steady_clock::time_point m_started = std::chrono::steady_clock::now();
    SearchStatistics m_used;
};

/// Turns the events of a series of runs into those of one search. Finished events of the runs are dropped; finished() reports the
/// end of the series.
class SeriesObserver final : public Observer {
public:
    explicit SeriesObserver(Observer& next) : m_next(next) {}

    void onEvent(const SearchEvent& event) override;
    void onBest(FindBest find) override;

    /// Prepares for the next run. `used` are the totals of the runs so far, `steps` is the number of steps from the start
    /// to where the next run begins. `before` is the result of the runs so far (the next run begins at its end or at its start) and
    /// must not change until the next call; null before the first run.
    void nextRun(const SearchStatistics& used, std::size_t steps, const SearchResult* before);
    /// The best that was reported so far does not hold; this one does.
    void corrected(double best, std::size_t steps);
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

/// Moves the result's thread to a new bank that holds nothing else, so that the run's other terms are freed before the next run.
void compact(SearchResult& result);

/// A thread up to its cheapest state, as a result without statistics. `costs` are those of its states, start first; infinite for those that
/// have none.
[[nodiscard]] SearchResult cheapestPart(const std::shared_ptr<ir::TermBank>& bank, rewrite::Thread thread,
                                        std::vector<double> costs);

/// Concatenates `before` and `further`, which starts where `before` ends, to the result of one search; the whole thread is checked.
[[nodiscard]] SearchResult joined(const SearchResult& before, SearchResult further);

}  // namespace mitos::search
