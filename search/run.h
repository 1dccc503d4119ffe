// SPDX-License-Identifier: GPL-3.0-or-later
// A run, as every engine reports it: both programs start and show it, comparisons tabulate it, and sessions store it.
#pragma once

#include "core/eval/testing/trusted_rules.h"
#include "core/rewrite/history.h"
#include "core/rewrite/verdict.h"
#include "search/strategy.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search {

using ProgramId = StrongId<struct ProgramRowTag>;
using RunId = StrongId<struct RunRowTag>;

/// Whether a run that was read, with all its events, is unchanged since Session::finishRun().
enum class Integrity : std::uint8_t {
    Unknown,  ///< it did not finish, or an earlier version wrote it
    Intact,
    Changed,  ///< a program that does not update the seal has changed it
};

enum class RunState : std::uint8_t {
    NotRun,
    Running,
    Finished,
    Failed,       ///< Run::stop says why
    Interrupted,  ///< it ran when its process was killed
};

/// The facts of a run, without its thread and its events, which may be megabytes.
struct RunFacts {
    RunId id;                      ///< in a session
    ProgramId program;             ///< in a session
    std::uint32_t startState = 0;  ///< the state of the history where it starts
    std::string strategy;
    ParameterValues parameters;  ///< all of them
    std::string rules;           ///< rule set names
    std::string costModel;
    Budget budget;
    std::uint64_t seed = 0;
    std::string startedAt;  ///< ISO 8601, UTC
    RunState state = RunState::NotRun;
    std::string stop;  ///< stop reason, or the error of a search that failed
    double initialCost = 0.0;
    double bestCost = 0.0;
    bool threadChecked = false;
    std::string outcomeKind =
        {};  ///< OutcomeValue::kind() of the result; empty if it is the program at the end of the thread
    std::string outcomeSummary = {};  ///< OutcomeValue::summary()
    SearchStatistics statistics = {};
    /// On the thread; null if it is not judged yet. That of a run that was read counts only if isVerdictOf() holds.
    std::optional<rewrite::Verdict> verdict = {};
    std::uint64_t judgedRules = 0;                     ///< rewrite::rulesHash() of the thread that was judged
    std::vector<eval::DoubtfulRule> failedRules = {};  ///< rules asked for that failed their test
    bool appliesFailedRules = false;                   ///< otherwise they were left out
    bool allowsAssumptions = false;                    ///< as rules::Assumptions::Allowed
    /// The state of the history at the end of its thread; invalid if the thread is not part of the history.
    rewrite::StateId resultState = {};
    Integrity integrity = Integrity::Unknown;

    int number = 0;  ///< for users, within its program: 1, 2, …; 0: not given yet

    // of the process that runs or shows it
    int job = 0;                                 ///< of the process that runs it; 0 if it does not run here
    bool recovered = false;                      ///< its thread joined the history only when the session was reopened
    std::vector<std::string> leftOutRules = {};  ///< eval::TrustedRules::leftOut(); empty in other processes
};

/// A search: what was asked, its events, and its result once it has ended. The same whether it runs, has ended, or was read back; a
/// session stores all but the fields of the process.
struct Run : RunFacts {
    std::string thread;   ///< rewrite::writeThread text; empty while running
    std::string outcome;  ///< OutcomeValue::text()
    /// Views fold over them. Session::runs() leaves them out; Session::events() reads them.
    std::vector<SearchEvent> events;
};

/// A run that has not begun, with what is asked of it. Program and start state are left open.
[[nodiscard]] Run requestedRun(const std::string& strategy, const SearchProblem& problem, const std::string& ruleSets);
/// Enters the result of a search, but for the verdict. Those of the rules asked for that failed their test are named.
void enterResult(Run& run, const SearchResult& result, std::string threadText, const eval::TrustedRules& rules);
/// Enters what the result is, if it is not the program.
void enterOutcome(Run& run, const OutcomeValue* outcome);
/// Enters the error that ended the search.
void enterFailure(Run& run, const Error& error);

/// A point of a run's curve: from here on, `best` is the least cost found.
struct Improvement {
    std::uint64_t evaluations = 0;
    double seconds = 0.0;
    double best = 0.0;
    std::uint64_t iterations = 0;  ///< of an e-graph; the one in which it was found included
};
/// The start, and every improvement.
[[nodiscard]] std::vector<Improvement> curveOf(const Run& run);
/// The iterations by which an e-graph grew, those before a restart included; 0 for searches without an e-graph.
[[nodiscard]] std::uint64_t iterationsOf(const Run& run);
/// The first point of the curve within 1 % of the best cost of the curve. Requires a curve that is not empty.
[[nodiscard]] Improvement nearBest(const std::vector<Improvement>& curve);

/// Strategies whose names begin so are trainings: their result is a model, and the program stays as it is.
inline constexpr std::string_view TrainingPrefix = "train-";
[[nodiscard]] inline bool isTraining(const RunFacts& run) { return run.strategy.starts_with(TrainingPrefix); }

/// Name of a run, used as the origin of its states: "mcts #2".
[[nodiscard]] inline std::string originOf(const Run& run) { return run.strategy + " #" + std::to_string(run.number); }

}  // namespace mitos::search
