// SPDX-License-Identifier: GPL-3.0-or-later
// Searches: starting, following and stopping them, and adding their results to the history.
#include "search/strategies/strategies.h"
#include "storage/workspace/run_recorder.h"
#include "views/common/format.h"
#include "views/document/internal/document_private.h"
#include "views/document/verdicts.h"

#include <QDateTime>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

QString nowText() { return QDateTime::currentDateTimeUtc().toString(Qt::ISODate); }

struct SearchOrder {
    std::shared_ptr<const search::Strategy> strategy;
    Snapshot start;
    SearchRules rules;
    std::shared_ptr<const cost::CostModel> cost;
    search::Budget budget;
    std::uint64_t seed = 1;
    ParameterValues parameters;
};

/// The body of the search's thread: runs the search and writes its record to the session, on a separate connection.
SearchOutcome search(const SearchOrder& order, Run stored, const std::shared_ptr<storage::SessionWriter>& writer,
                     const std::shared_ptr<EventCollector>& events, const std::atomic<bool>& discarded,
                     const std::stop_token& stop, const JobRunner::Report& report) {
    SearchOutcome outcome;
    if (order.rules.areForeign) report(-1.0, Document::tr("testing rules"));
    if (Result<eval::TrustedRules> trusted = order.rules.trusted(stop)) {
        outcome.trusted = *std::move(trusted);
    } else {
        outcome.error = std::move(trusted).error();
    }
    std::unique_ptr<storage::RunRecorder> recorder;
    if (const auto place = writer ? writer->place() : std::nullopt) {
        stored.program = place->program;
        if (auto begun = storage::RunRecorder::begin(place->path, stored, events.get())) {
            recorder = *std::move(begun);
            stored.id = recorder->id();
        } else {
            outcome.writeError = begun.error();
        }
    }
    const ProgramCopy start = order.start.copy();
    const search::SearchProblem problem{
        *start.bank, start.program, outcome.trusted.directions, order.cost, order.budget, order.seed, order.parameters};
    if (!outcome.error) {
        search::Observer& observer = recorder ? recorder->observer() : *events;
        if (auto result = order.strategy->run(problem, stop, observer); result) {
            outcome.result = std::move(*result);
        } else {
            outcome.error = result.error();
        }
    }
    if (recorder) {
        if (const Status flushed = recorder->flush(); !flushed) outcome.writeError = flushed.error();
    }
    if (outcome.result) {
        search::SearchResult& result = *outcome.result;
        // The search's bank holds every program it visited; only the thread's programs are kept, and the rest is freed here.
        const auto kept = std::make_shared<ir::TermBank>(result.bank->sharedRegistry());
        result.thread = rewrite::transplant(*result.bank, result.thread, *kept);
        result.bank = kept;
        storage::enterResult(stored, result,
                             rewrite::writeThread(*result.bank, result.thread, result.costs, stored.costModel),
                             outcome.trusted);
    } else {
        stored.status = "failed";
        stored.stop = outcome.error->oneLine();
    }
    if (recorder) {
        const Status done = discarded ? recorder->remove() : recorder->finish(stored);
        if (!done && !outcome.writeError) outcome.writeError = done.error();
        outcome.inSession = !outcome.writeError;
    }
    outcome.run = std::move(stored);
    return outcome;
}

}  // namespace

void EventCollector::onEvent(const search::SearchEvent& event) {
    {
        const std::scoped_lock lock(m_mutex);
        m_events.push_back(event);
    }
    double done = -1.0;
    const auto consider = [&done](double share) { done = std::clamp(std::max(done, share), 0.0, 1.0); };
    if (m_budget.seconds && *m_budget.seconds > 0) consider(event.seconds / *m_budget.seconds);
    if (m_budget.evaluations && *m_budget.evaluations > 0) {
        consider(static_cast<double>(event.evaluations) / static_cast<double>(*m_budget.evaluations));
    }
    if (m_budget.states && *m_budget.states > 0) {
        consider(static_cast<double>(event.states) / static_cast<double>(*m_budget.states));
    }
    m_report(done, Document::tr("best %1 · %2 evaluations")
                       .arg(costText(event.best), QLocale().toString(static_cast<qulonglong>(event.evaluations))));
}

std::vector<search::SearchEvent> EventCollector::take() {
    const std::scoped_lock lock(m_mutex);
    return std::exchange(m_events, {});
}

const Run* Document::run(RunNumber number) const {
    const auto found =
        std::find_if(m_runs.begin(), m_runs.end(), [number](const Run& run) { return run.number == number; });
    return found == m_runs.end() ? nullptr : &*found;
}

Run* Document::findRun(RunNumber number) {
    const auto found =
        std::find_if(m_runs.begin(), m_runs.end(), [number](const Run& run) { return run.number == number; });
    return found == m_runs.end() ? nullptr : &*found;
}

int Document::runningSearches() const {
    return static_cast<int>(std::count_if(m_runs.begin(), m_runs.end(), [](const Run& run) { return run.job != 0; }));
}

RunNumber Document::startSearch(const SearchSettings& settings, std::shared_ptr<const search::Strategy> strategy) {
    if (!isOpen()) return 0;
    if (!strategy) {
        auto found = search::findStrategy(settings.strategy.toStdString());
        if (!found) {
            Q_EMIT failed(tr("There is no such strategy"), fromUtf8(found.error().render()));
            return 0;
        }
        strategy = *std::move(found);
    }
    auto parameters = search::resolveParameters(search::fitted(strategy->info(), dialect()), settings.parameters);
    if (!parameters) {
        Q_EMIT failed(tr("The search cannot start"), fromUtf8(parameters.error().render()));
        return 0;
    }
    const rewrite::StateId start = m_history->current();
    Run run;
    run.number = ++m_private->lastRun;
    run.startState = start.value;
    run.strategy = settings.strategy.toStdString();
    run.parameters = storage::toJson(*parameters);
    run.rules = m_rules->names();
    run.costModel = m_private->costModelName.toStdString();
    run.budget = storage::toJson(settings.budget);
    run.seed = settings.seed;
    run.startedAt = nowText().toStdString();
    run.status = "running";
    run.allowsAssumptions = allowsAssumptions();
    run.initialCost = run.bestCost = m_history->state(start).cost;

    LiveRun live;
    live.events = std::make_shared<EventCollector>(settings.budget);
    live.discarded = std::make_shared<std::atomic<bool>>(false);
    SearchOrder order{.strategy = strategy,
                      .start = snapshot(current()),
                      .rules = searchRules(),
                      .cost = m_costModel,
                      .budget = settings.budget,
                      .seed = settings.seed,
                      .parameters = *parameters};
    const QString name = tr("%1 on %2").arg(fromUtf8(strategy->info().name), m_title);
    run.job = m_jobs.start(
        name, true, m_private->program.get(),
        [order = std::move(order), stored = run, writer = m_private->session.writer(), events = live.events,
         discarded = live.discarded](const std::stop_token& stop, const JobRunner::Report& report) {
            events->setReport(report);
            return search(order, stored, writer, events, *discarded, stop, report);
        },
        [this, number = run.number](SearchOutcome outcome) { finishRun(number, std::move(outcome)); });
    m_private->live.emplace(run.number, std::move(live));
    m_runs.push_back(std::move(run));
    m_private->eventTimer.start();
    m_selection.setRun(m_private->lastRun);
    Q_EMIT runChanged(m_private->lastRun);
    return m_private->lastRun;
}

void Document::collectEvents() {
    for (const auto& [number, live] : m_private->live) {
        std::vector<search::SearchEvent> fresh = live.events->take();
        Run* run = findRun(number);
        if (fresh.empty() || run == nullptr) continue;
        run->bestCost = fresh.back().best;
        std::move(fresh.begin(), fresh.end(), std::back_inserter(run->events));
        Q_EMIT runChanged(number);
    }
}

void Document::finishRun(RunNumber number, SearchOutcome outcome) {
    collectEvents();
    m_private->live.erase(number);
    if (m_private->live.empty()) m_private->eventTimer.stop();
    Run* run = findRun(number);
    const JobId job = std::exchange(run->job, 0);
    outcome.run.events = std::move(run->events);
    *run = std::move(outcome.run);
    if (outcome.writeError) {
        Q_EMIT failed(tr("The search could not be recorded in the session"), fromUtf8(outcome.writeError->render()));
    }
    if (!outcome.result) {
        m_jobs.setOutcome(job, JobInfo::State::Failed, fromUtf8(outcome.error->message));
        Q_EMIT failed(tr("The search failed"), fromUtf8(outcome.error->render()));
        Q_EMIT runChanged(number);
        return;
    }
    const search::SearchResult& result = *outcome.result;
    if (const QString text = failedRulesText(outcome.trusted); !text.isEmpty()) {
        Q_EMIT notice(text, doubtfulRulesDetails(outcome.trusted));
    }
    const QString what = tr("%1; best %2 after %3 steps, %4")
                             .arg(fromUtf8(search::toString(result.reason)), costText(result.bestCost))
                             .arg(result.thread.steps.size())
                             .arg(durationText(result.statistics.seconds));
    if (!result.check.valid) {
        m_jobs.setOutcome(job, JobInfo::State::Failed, tr("the checker refused its thread"));
        Q_EMIT failed(tr("The checker refused the thread of %1").arg(fromUtf8(run->strategy)),
                      tr("Step %1: %2\nThe result is not shown.")
                          .arg(result.check.failedStep)
                          .arg(fromUtf8(result.check.reason)));
        Q_EMIT runChanged(number);
        return;
    }
    m_jobs.setOutcome(
        job, result.reason == search::StopReason::Stopped ? JobInfo::State::Stopped : JobInfo::State::Finished, what);

    const rewrite::StateId start(run->startState);
    if (result.thread.steps.empty()) {
        endRun(number, job, outcome, start);
        return;
    }
    const auto kept = std::make_shared<const SearchOutcome>(std::move(outcome));
    m_private->arrivals->add(
        kept->result->bank, kept->result->thread,
        [this, number, job, start, kept](const rewrite::Thread& thread, const std::vector<double>& costs) {
            const Run* run = findRun(number);
            if (run == nullptr) return;  // discarded meanwhile
            const Joined joined = join(start, thread, costs, originOf(*run));
            announce(joined);
            endRun(number, job, *kept, joined.end);
        });
}

void Document::endRun(RunNumber number, JobId job, const SearchOutcome& outcome, rewrite::StateId end) {
    Run* run = findRun(number);
    run->resultState = end;
    if (!outcome.inSession) m_private->session.writeRun(*run);
    Q_EMIT runChanged(number);
    const search::SearchResult& result = *outcome.result;
    verify(number, job, result.bank, result.thread, result.costs);
}

void Document::joinThread(rewrite::StateId start, const std::shared_ptr<const ir::TermBank>& bank,
                          const rewrite::Thread& found, const QString& origin) {
    if (!isOpen() || start.value >= m_history->size()) return;
    if (found.steps.empty()) {
        Q_EMIT notice(tr("The program is already the extracted one."));
        return;
    }
    m_private->arrivals->add(
        bank, found,
        [this, start, bank, found, origin](const rewrite::Thread& thread, const std::vector<double>& costs) {
            if (thread.start.root != m_history->state(start).root) {
                Q_EMIT failed(tr("This thread does not begin with that state"),
                              tr("Another program was opened meanwhile."));
                return;
            }
            m_history->checkout(start);
            const Joined joined = join(start, thread, costs, origin.toStdString());
            announce(joined);
            sayAssumptions(start, joined.end, origin);
            judgeJoined(joined.end, bank, found, costs, origin);
        });
}

void Document::stopRun(RunNumber number) {
    if (const Run* found = run(number); found != nullptr && found->job != 0) m_jobs.stop(found->job);
}

void Document::discardRun(RunNumber number) {
    const auto found =
        std::find_if(m_runs.begin(), m_runs.end(), [number](const Run& run) { return run.number == number; });
    if (found == m_runs.end()) return;
    if (found->job != 0) {
        *m_private->live.at(number).discarded = true;
        m_jobs.discard(found->job);
        m_private->live.erase(number);
        if (m_private->live.empty()) m_private->eventTimer.stop();
    } else {
        m_private->session.removeRun(*found);
    }
    m_private->session.forgetRun(number);
    m_runs.erase(found);
    if (m_selection.run() == number) m_selection.setRun(m_runs.empty() ? 0 : m_runs.back().number);
    Q_EMIT runRemoved(number);
}

}  // namespace mitos::views
