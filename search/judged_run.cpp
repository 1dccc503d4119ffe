// SPDX-License-Identifier: GPL-3.0-or-later
// See judged_run.h.
#include "search/judged_run.h"

#include "core/base/process_memory.h"
#include "core/base/time_limit.h"
#include "core/rewrite/stated_thread.h"
#include "search/holding.h"
#include "search/series.h"

#include <algorithm>
#include <utility>

namespace mitos::search {

namespace {

/// A record, and the first error of it.
class KeptRecord {
public:
    KeptRecord(const BeginLog& begin, Run& run, Observer* next) {
        if (!begin) return;
        Result<std::unique_ptr<RunLog>> record = begin(run, next);
        if (!record) {
            m_error = std::move(record).error();
            return;
        }
        m_record = *std::move(record);
        run.id = m_record->id();
    }

    [[nodiscard]] Observer* observer() const { return m_record ? &m_record->observer() : nullptr; }
    void flush() {
        if (m_record) note(m_record->flush());
    }
    void finish(JudgedRun& judged) {
        if (m_record) note(m_record->finish(judged.run));
        judged.recordError = std::move(m_error);
    }

private:
    void note(const Status& status) {
        if (!status && !m_error) m_error = status.error();
    }

    std::unique_ptr<RunLog> m_record;
    std::optional<Error> m_error;
};

}  // namespace

void Judging::limitTo(std::optional<double> limit, double spent) {
    constexpr double More = 1.1;
    constexpr double Least = 1.0;  // seconds
    if (isPartOfSearch && limit) seconds = std::min(seconds, std::max(Least, More * *limit - spent));
}

rewrite::JudgeOptions Judging::options(std::uint64_t seed, const std::stop_token& stop,
                                       std::vector<rewrite::RuleRemark> dropped) const {
    constexpr double SecondsAfterStop = 10.0;
    constexpr std::uint64_t LeastBytes = 16U << 20U;  // most ks programs need less
    const bool isStopped = stop.stop_requested();
    rewrite::JudgeOptions options;
    options.sampling.seed = seed;
    options.sampling.seconds = isStopped ? std::min(seconds, SecondsAfterStop) : seconds;
    options.sampling.weights = weights;
    options.sampling.limits.stop = isStopped ? abandoned : stop;
    if (memoryBytes) {
        returnFreedMemory();
        // Inputs and the values of the start are held beside what is computed.
        const std::uint64_t left = (*memoryBytes - std::min(residentBytes(), *memoryBytes)) / 2;
        options.sampling.limits.bytes = std::clamp(left, LeastBytes, options.sampling.limits.bytes);
    }
    options.rules = rules.get();
    options.dropped = std::move(dropped);
    if (eachStep) {
        options.eachStep = eachStep;
        options.eachStep->seed = seed;
        options.eachStep->limits.bytes = std::min(eachStep->limits.bytes, options.sampling.limits.bytes);
        options.eachStep->weights = weights;
    }
    return options;
}

namespace {

std::optional<rewrite::OutcomeCheck> checkedOutcome(const SearchResult& result, const std::stop_token& stop) {
    if (!result.outcome) return std::nullopt;
    return rewrite::OutcomeCheck{result.outcome->kind(),
                                 result.outcome->fault(*result.bank, result.thread.end(), stop).value_or("")};
}

/// The end of the thread is the result.
void leaveOutcomeOut(SearchResult& result) {
    result.outcome = nullptr;
    result.bestCost = result.costs.empty() ? result.initialCost : result.costs.back();
}

}  // namespace

JudgedRun judged(Run run, SearchResult result, const Judging& judging, const std::stop_token& stop) {
    compact(result);  // what else the search has met would take memory while values are compared
    const rewrite::JudgeOptions options = judging.options(run.seed, stop, result.dropped);
    const std::optional<rewrite::OutcomeCheck> outcome = checkedOutcome(result, options.sampling.limits.stop);
    const double cost = result.bestCost;
    rewrite::Judged found = rewrite::judgeParts(*result.bank, result.thread, result.costs, result.check, options);
    found.verdict.outcome = outcome;
    if (found.refused) {
        found.refused->outcome = std::exchange(found.verdict.outcome, std::nullopt);
    } else if (outcome && !outcome->isValid()) {
        found.refused = found.verdict;
        found.verdict.outcome.reset();
    }
    JudgedRun judged{.run = std::move(run), .result = {}, .refused = {}, .error = {}, .recordError = {}};
    if (found.refused && judging.insists()) {
        judged.run.verdict = *std::move(found.refused);
    } else {
        judged.run.verdict = std::move(found.verdict);
        result.thread = std::move(found.thread);
        result.costs = std::move(found.costs);
        result.check = std::move(found.check);
        if (found.refused) {
            judged.refused = {*std::move(found.refused), cost};
            leaveOutcomeOut(result);
        }
    }
    enterResult(judged.run, result,
                rewrite::writeThread(*result.bank, result.thread, result.costs, judged.run.costModel,
                                     "verdict: " + judged.run.verdict->toString()),
                judging.rules ? *judging.rules : eval::TrustedRules{});
    judged.run.judgedRules = rewrite::rulesHash(result.thread);
    judged.result = std::move(result);
    return judged;
}

JudgedRun failedRun(const Run& run, const BeginLog& record, Error error) {
    JudgedRun failed{.run = run, .result = {}, .refused = {}, .error = {}, .recordError = {}};
    KeptRecord kept(record, failed.run, nullptr);
    enterFailure(failed.run, error);
    failed.error = std::move(error);
    kept.finish(failed);
    return failed;
}

JudgedRun runJudged(const SearchTask& task, const std::stop_token& stop, Observer& observer) {
    Run run = task.run;
    KeptRecord record(task.record, run, &observer);
    Observer* const recording = record.observer();
    const TimeLimit clock(0.0, {});
    Result<SearchResult> found =
        runHolding(*task.strategy, task.problem, stop, recording != nullptr ? *recording : observer);
    record.flush();
    JudgedRun over{.run = {}, .result = {}, .refused = {}, .error = {}, .recordError = {}};
    if (found) {
        Judging judging = task.judging;
        judging.limitTo(task.problem.budget.seconds, clock.elapsed());
        over = judged(std::move(run), *std::move(found), judging, stop);
    } else {
        enterFailure(run, found.error());
        over.run = std::move(run);
        over.error = std::move(found).error();
    }
    record.finish(over);
    return over;
}

}  // namespace mitos::search
