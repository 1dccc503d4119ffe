// SPDX-License-Identifier: GPL-3.0-or-later
// The one way from a search to a result: search, judge, keep the best part that holds, record. Both programs, comparisons and experiments
// run their searches so.
#pragma once

#include "core/eval/verify/verify.h"
#include "core/tensor/weights.h"
#include "search/run.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace mitos::search {

/// How a result is judged.
struct Judging {
    /// The test results of the rules; results with other values are kept only if the user insists on them. Null: rules are not remarked on.
    std::shared_ptr<const eval::TrustedRules> rules = nullptr;
    std::shared_ptr<const tensor::Weights> weights = nullptr;  ///< of a model; see eval::EquivalenceOptions
    double seconds = eval::EquivalenceOptions{}.seconds;       ///< time limit for comparing values
    bool isPartOfSearch = false;  ///< limitTo() applies: a time limit of the search is one of comparing values, too
    std::optional<std::uint64_t> memoryBytes = {};     ///< of the process; values get what is left of it
    std::optional<eval::VerifyOptions> eachStep = {};  ///< see rewrite::JudgeOptions
    std::stop_token abandoned = {};                    ///< ends also the judging that follows a stop

    /// After `spent` seconds of a search with that time limit, leaves what is left of the limit and a tenth of it for comparing values, but
    /// at least a second.
    void limitTo(std::optional<double> limit, double spent);
    [[nodiscard]] bool insists() const { return rules && rules->insisted; }
    /// The options for judging a result now. After a stop the best so far is still judged, in a shorter time. Valid as long as `rules`.
    [[nodiscard]] rewrite::JudgeOptions options(std::uint64_t seed, const std::stop_token& stop,
                                                std::vector<rewrite::RuleRemark> dropped = {}) const;
};

/// Keeps a run while it goes on, and its result; sessions do (storage::RunRecorder). Used by the thread that searches.
class RunLog {
public:
    virtual ~RunLog() = default;
    [[nodiscard]] virtual RunId id() const = 0;
    [[nodiscard]] virtual Observer& observer() = 0;    ///< receives the events
    [[nodiscard]] virtual Status flush() = 0;          ///< writes the pending events
    [[nodiscard]] virtual Status finish(Run run) = 0;  ///< stores the result
};
/// Begins the record of a run. The record forwards the events to `next`.
using BeginLog = std::function<Result<std::unique_ptr<RunLog>>(const Run& run, Observer* next)>;

/// A search to be run.
struct SearchTask {
    std::shared_ptr<const Strategy> strategy;
    SearchProblem problem;
    Run run = {};  ///< as requestedRun() describes it
    Judging judging = {};
    BeginLog record = {};  ///< none: the run is not recorded
};

/// A result that was not kept, as its values differ from those of the start.
struct RefusedResult {
    rewrite::Verdict verdict;
    double cost = 0.0;
};

/// A run that is over.
struct JudgedRun {
    Run run;                               ///< with its result and verdict, or its error; without events
    std::optional<SearchResult> result;    ///< what holds of the search's result; empty if it failed
    std::optional<RefusedResult> refused;  ///< the whole result, if only a part of it holds
    std::optional<Error> error;            ///< of the search
    std::optional<Error> recordError;      ///< the first one of the record

    [[nodiscard]] bool isRecorded() const { return run.id.isValid() && !recordError; }
};

/// Runs the search by runHolding() and judges its result (judged()), which is recorded if the task says so. An error of the record does not
/// end the search. A stop ends the search, with its best so far.
[[nodiscard]] JudgedRun runJudged(const SearchTask& task, const std::stop_token& stop, Observer& observer);

/// The run with an error in place of a search, recorded if the task says so.
[[nodiscard]] JudgedRun failedRun(const Run& run, const BeginLog& record, Error error);

/// Judges a result. If its values differ from the start's, its cheapest part with the same values takes its place, unless the user insists;
/// an outcome that is not valid, or is of another program then, is left out. The run gets the result, its thread as text, and the verdict.
[[nodiscard]] JudgedRun judged(Run run, SearchResult result, const Judging& judging, const std::stop_token& stop);

}  // namespace mitos::search
