// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the REGAL experiment as numbers.
#pragma once

#include "search/experiments/named_numbers.h"
#include "search/experiments/paired_statistics.h"
#include "search/experiments/regal.h"
#include "search/experiments/regal_models.h"
#include "search/experiments/regal_searches.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

/// A method beside the reference, the genetic algorithm with the plan's evaluations.
struct RegalSummary {
    RegalKey key;
    std::size_t graphs = 0;  ///< with searches
    std::size_t searches = 0;
    std::size_t unfit = 0;  ///< searches whose schedule does not fit into memory
    /// Graphs that both have only schedules for that fit; others are not part of any mean.
    PairedComparison comparison = {};
    std::vector<std::uint32_t> numbers = {};  ///< of these graphs
    IntervalMean gap = {};                    ///< above the best known of these graphs, per cent
    double seconds = 0.0;                     ///< of a search, mean over all
    double inferenceSeconds = 0.0;            ///< of the network, mean over graphs
};

class RegalResults {
public:
    RegalResults(RegalPlan plan, RegalModels models, NamedNumbers paper,
                 std::vector<std::pair<RegalRun, RegalRecord>> records);
    RegalResults(const RegalResults&) = delete;
    RegalResults& operator=(const RegalResults&) = delete;
    ~RegalResults() = default;

    [[nodiscard]] const RegalPlan& plan() const { return m_plan; }
    [[nodiscard]] const RegalModels& models() const { return m_models; }
    [[nodiscard]] const NamedNumbers& paper() const { return m_paper; }
    /// In the order of the runs.
    [[nodiscard]] const std::vector<std::pair<RegalRun, RegalRecord>>& records() const { return m_records; }

    /// All keys with searches on a task and set.
    [[nodiscard]] std::vector<RegalKey> keys(RegalTask task, RegalSet set) const;
    [[nodiscard]] bool has(const RegalKey& key) const { return m_outcomes.contains(key); }
    /// Null if there is none.
    [[nodiscard]] const RegalOutcome* outcome(const RegalKey& key, std::uint32_t graph) const;
    /// The mean objective over the seeds; nothing if there is no search, or if one of them found no schedule that fits.
    [[nodiscard]] std::optional<double> objective(const RegalKey& key, std::uint32_t graph) const;
    /// The least objective of all searches for the graph.
    [[nodiscard]] std::optional<double> bestKnown(RegalTask task, RegalSet set, std::uint32_t graph) const;
    /// Whether it is proven that no schedule is better than the best known.
    [[nodiscard]] bool isProven(RegalTask task, RegalSet set, std::uint32_t graph) const;

    /// Nothing without searches, of the method or of the reference.
    [[nodiscard]] std::optional<RegalSummary> summary(const RegalKey& key) const;
    /// By how many points the first method improves more than `times` the second one on each graph that both have, at least one graph.
    [[nodiscard]] IntervalMean advantage(const RegalKey& one, const RegalKey& other, double times = 1.0) const;
    /// By how many points a method's improvement is more than a part of that of the best known, on each graph.
    [[nodiscard]] IntervalMean beyondRoom(const RegalKey& key, double part) const;
    /// The method of the paper's Table 1 with the highest mean improvement, beside REGAL and the reference.
    [[nodiscard]] std::optional<RegalSummary> nextBest(RegalTask task, RegalSet set) const;
    /// "REGAL", "BRKGA, 50,000 evaluations"
    [[nodiscard]] std::string title(const RegalKey& key) const;

private:
    RegalPlan m_plan;
    RegalModels m_models;
    NamedNumbers m_paper;
    std::vector<std::pair<RegalRun, RegalRecord>> m_records;
    std::map<RegalKey, std::map<std::uint32_t, const RegalOutcome*>> m_outcomes;
};

/// The objective of a search.
[[nodiscard]] double valueOf(const RegalSearch& search, RegalTask task);

}  // namespace mitos::search::experiments
