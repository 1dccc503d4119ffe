// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the Knossos experiment as numbers.
#pragma once

#include "search/experiments/knossos.h"
#include "search/experiments/knossos_record.h"
#include "search/experiments/named_numbers.h"
#include "search/experiments/paired_statistics.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

/// A search with what guides it.
struct KnossosKey {
    KnossosTask task = KnossosTask::Generalization;
    const KnossosMethod* method = nullptr;
    std::string strategy;  ///< the method's own, or another with its value function

    friend bool operator==(const KnossosKey&, const KnossosKey&) = default;
};

/// A total to come to, and what it takes without learning.
struct KnossosTarget {
    std::string title;  ///< "A*, potential"; "all without learning"
    double total = 0.0;
    std::optional<KnossosEffort> effort = {};  ///< nothing if no search comes there in every repetition
};

/// Effort to come to a target, over the repetitions.
struct KnossosEfforts {
    std::size_t runs = 0;
    std::vector<KnossosEffort> reached = {};  ///< of those that came there
};

class KnossosResults {
public:
    KnossosResults(KnossosPlan plan, NamedNumbers paper, std::vector<std::pair<KnossosRun, KnossosRecord>> records)
        : m_plan(std::move(plan)),
          m_paper(std::move(paper)),
          m_records(std::move(records)) {}

    [[nodiscard]] const KnossosPlan& plan() const { return m_plan; }
    [[nodiscard]] const NamedNumbers& paper() const { return m_paper; }
    /// A number of the paper for a task: "generalization_" and the rest of its name.
    [[nodiscard]] std::optional<double> paperOf(KnossosTask task, std::string_view rest) const;
    /// In the order of the runs.
    [[nodiscard]] const std::vector<std::pair<KnossosRun, KnossosRecord>>& records() const { return m_records; }
    /// Those of a method, by repetition.
    [[nodiscard]] std::vector<const KnossosRecord*> of(KnossosTask task, const KnossosMethod& method) const;
    [[nodiscard]] bool has(KnossosTask task) const;

    /// All searches with runs: of each method its own first.
    [[nodiscard]] std::vector<KnossosKey> keys(KnossosTask task) const;
    /// "Terms", "Terms in greedy search"
    [[nodiscard]] std::string title(const KnossosKey& key) const;
    /// The total of each repetition at its last stage. Empty without runs.
    [[nodiscard]] std::vector<double> totals(const KnossosKey& key, std::uint64_t budget) const;
    /// The mean seconds of a program in each repetition, at its last stage. Empty without runs.
    [[nodiscard]] std::vector<double> seconds(const KnossosKey& key, std::uint64_t budget) const;
    /// The totals behind so many epochs.
    [[nodiscard]] std::vector<double> totalsAt(const KnossosKey& key, std::uint64_t budget, std::uint32_t epochs) const;
    /// The numbers of epochs of its stages, of all repetitions together.
    [[nodiscard]] std::vector<std::uint32_t> stages(const KnossosKey& key) const;
    /// The mean cost of each program over the repetitions, at the last stage.
    [[nodiscard]] std::vector<double> programCosts(const KnossosKey& key, std::uint64_t budget) const;
    /// The total before any optimization; nothing without runs.
    [[nodiscard]] std::optional<double> initial(KnossosTask task) const;

    /// The search without learning whose mean total is least.
    [[nodiscard]] std::optional<KnossosKey> bestUnlearned(KnossosTask task, std::uint64_t budget) const;
    /// The effort of the last stage for a total, with the largest number of evaluations.
    [[nodiscard]] KnossosEfforts efforts(const KnossosKey& key, double target) const;
    /// The total of the best search without learning with the largest number of evaluations, and the least evaluations and seconds with which any of them
    /// comes to it, as means over its repetitions. With a reference both are those of that method. Nothing without runs.
    [[nodiscard]] std::optional<KnossosTarget> target(KnossosTask task, const KnossosMethod* reference = nullptr) const;
    /// Whether every thread is valid and no result has other values than its start.
    [[nodiscard]] bool isRight() const;

private:
    [[nodiscard]] static const KnossosEvaluation* last(const KnossosRecord& record, std::string_view strategy,
                                                       std::uint64_t budget);

    KnossosPlan m_plan;
    NamedNumbers m_paper;
    std::vector<std::pair<KnossosRun, KnossosRecord>> m_records;
};

/// The key of a method with its own strategy.
[[nodiscard]] KnossosKey ownKey(KnossosTask task, const KnossosMethod& method);
[[nodiscard]] double meanOf(const std::vector<double>& numbers);       ///< requires some
[[nodiscard]] double deviationOf(const std::vector<double>& numbers);  ///< of a sample; 0 for less than two

}  // namespace mitos::search::experiments
