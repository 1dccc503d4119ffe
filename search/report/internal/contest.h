// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a report, by program and contestant, and the results that may count.
#pragma once

#include "search/compare/run_table.h"

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace mitos::search::report {

/// Whether the run has a result that is not known to be wrong. Others count in no number and no curve of the page.
[[nodiscard]] bool isCounted(const Run& run);
/// Whether the run's result passed every check. Only such a result can be the answer.
[[nodiscard]] bool isConfirmed(const Run& run);

/// Runs that differ only in program, beginning, seed, and limit on evaluations: a line of the charts and a row of the table.
struct Contestant {
    const Run* asked = nullptr;  ///< one of its runs
    std::string label;           ///< unique: "MCTS", "MCTS, depth = 20"
    std::string parameters;      ///< those that are not the usual ones
    std::size_t style = 0;       ///< of its lines
    /// For each program its groups, those with the smaller limits first; none if the program was not searched.
    std::vector<std::vector<const RunGroup*>> groups;

    /// The group with the largest limit on evaluations, which tables and charts show; null if there is none.
    [[nodiscard]] const RunGroup* group(std::size_t program) const {
        return groups[program].empty() ? nullptr : groups[program].back();
    }
};

struct Contest {
    Contest(std::span<const TableRun> runs, std::span<const StrategyInfo> strategies, std::string costUnit);
    Contest(const Contest&) = delete;  // it points into itself
    Contest& operator=(const Contest&) = delete;

    std::string unit;  ///< of costs
    /// The subjects of the searches, in the order of the first runs: a program, from its start or from another of its states (subjectOf()).
    std::vector<std::string> programs;
    std::vector<std::optional<Beginning>> from;  ///< where the searches of each begin
    std::vector<RunGroup> groups;
    std::vector<Contestant> contestants;

    /// The programs for which every run of every contestant's largest limit is counted, so that totals are comparable.
    [[nodiscard]] std::vector<std::size_t> completePrograms() const;
    /// Whether some contestant ran under several limits on evaluations.
    [[nodiscard]] bool hasSeveralLimits() const;
};

/// The group's runs that are counted, those of least cost first.
[[nodiscard]] std::vector<const Run*> countedRuns(const RunGroup& group);
/// For bandOf(): for each seed the contestant's counted runs of the programs, where it has one of each.
[[nodiscard]] std::vector<std::vector<const Run*>> curvesOf(const Contestant& contestant,
                                                            const std::vector<std::size_t>& programs);

/// The outcome for one program.
struct Outcome {
    static constexpr std::size_t None = std::numeric_limits<std::size_t>::max();
    double startCost = 0.0;             ///< of the program's start
    double initialCost = 0.0;           ///< of the state where the searches began
    const Run* best = nullptr;          ///< the answer: the cheapest confirmed result; null if there is none
    std::vector<const Run*> confirmed;  ///< the cheapest of each contestant, or null
    const Run* doubtful = nullptr;      ///< a result that is cheaper than the answer but not confirmed, and not refuted
    std::size_t doubtfulContestant = None;
    bool hasResult = false;  ///< whether any run finished

    /// Whether the answer is cheaper than the state where the searches began.
    [[nodiscard]] bool isImproved() const;
    /// Whether the contestant found a program as cheap as the answer.
    [[nodiscard]] bool isWinner(std::size_t contestant) const;
};
[[nodiscard]] Outcome outcomeOf(const Contest& contest, std::size_t program);

}  // namespace mitos::search::report
