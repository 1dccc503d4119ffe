// SPDX-License-Identifier: GPL-3.0-or-later
// See searches.h.
#include "views/document/internal/searches.h"

#include "search/series.h"
#include "storage/workspace/run_recorder.h"
#include "storage/workspace/session_writer.h"
#include "views/common/format.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace mitos::views {

/// Collects a run's events on the search's thread until the GUI thread fetches them.
class EventCollector final : public search::Observer {
public:
    explicit EventCollector(search::Budget budget) : m_budget(budget) {}
    void onEvent(const search::SearchEvent& event) override {
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
        m_report(done,
                 Document::tr("best %1 · %2 evaluations").arg(costText(event.best), countText(event.evaluations)));
    }

    [[nodiscard]] std::vector<search::SearchEvent> take() {
        const std::scoped_lock lock(m_mutex);
        return std::exchange(m_events, {});
    }
    void setReport(JobRunner::Report report) { m_report = std::move(report); }

private:
    search::Budget m_budget;
    JobRunner::Report m_report;
    std::mutex m_mutex;
    std::vector<search::SearchEvent> m_events;
};

namespace {

constexpr int EventIntervalMs = 40;  // at most 25 times progressed() a second

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
    if (!outcome.error) {
        search::SearchProblem problem = order.problem;
        problem.rules = outcome.trusted.directions;
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
        search::compact(result);
        search::enterResult(stored, result,
                            rewrite::writeThread(*result.bank, result.thread, result.costs, stored.costModel),
                            outcome.trusted);
    } else {
        search::enterFailure(stored, *outcome.error);
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

Searches::Searches(JobRunner& jobs) : m_jobs(jobs) {
    m_eventTimer.setInterval(EventIntervalMs);
    connect(&m_eventTimer, &QTimer::timeout, this, &Searches::collectEvents);
}

Run* Searches::find(RunNumber number) {
    const auto found = std::ranges::find(m_runs, number, &Run::number);
    return found == m_runs.end() ? nullptr : &*found;
}

int Searches::running() const {
    return static_cast<int>(std::ranges::count_if(m_runs, [](const Run& run) { return run.job != 0; }));
}

RunNumber Searches::start(PreparedSearch prepared, QObject* context, std::shared_ptr<storage::SessionWriter> writer) {
    Run run = std::move(prepared.run);
    const Live live{std::make_shared<EventCollector>(prepared.order.problem.budget),
                    std::make_shared<std::atomic<bool>>(false)};
    run.number = ++m_last;
    run.state = search::RunState::Running;
    run.job = m_jobs.start(
        prepared.title, true, context,
        [order = std::move(prepared.order), stored = run, writer = std::move(writer), live](
            const std::stop_token& stop, const JobRunner::Report& report) {
            live.events->setReport(report);
            return search(order, stored, writer, live.events, *live.discarded, stop, report);
        },
        [this, number = run.number](SearchOutcome outcome) { finish(number, std::move(outcome)); });
    m_live.emplace(run.number, live);
    m_runs.push_back(std::move(run));
    m_eventTimer.start();
    return m_last;
}

void Searches::stop(RunNumber number) {
    if (const Run* run = find(number); run != nullptr && run->job != 0) m_jobs.stop(run->job);
}

void Searches::replace(std::vector<Run> runs) {
    for (const Run& run : m_runs) stop(run.number);
    m_live.clear();
    m_eventTimer.stop();
    m_runs = std::move(runs);
    m_last = m_runs.empty() ? 0 : std::ranges::max_element(m_runs, {}, &Run::number)->number;
}

std::optional<Run> Searches::remove(RunNumber number) {
    const auto found = std::ranges::find(m_runs, number, &Run::number);
    if (found == m_runs.end()) return std::nullopt;
    if (found->job != 0) {
        *m_live.at(number).discarded = true;
        m_jobs.discard(found->job);
        forget(number);
    }
    Run removed = std::move(*found);
    m_runs.erase(found);
    return removed;
}

void Searches::collectEvents() {
    for (const auto& [number, live] : m_live) {
        std::vector<search::SearchEvent> fresh = live.events->take();
        Run* run = find(number);
        if (fresh.empty() || run == nullptr) continue;
        run->bestCost = fresh.back().best;
        std::move(fresh.begin(), fresh.end(), std::back_inserter(run->events));
        Q_EMIT progressed(number);
    }
}

void Searches::finish(RunNumber number, SearchOutcome outcome) {
    collectEvents();
    forget(number);
    Run* run = find(number);
    const JobId job = std::exchange(run->job, 0);
    outcome.run.events = std::move(run->events);
    *run = std::move(outcome.run);
    Q_EMIT ended(number, job, std::make_shared<const SearchOutcome>(std::move(outcome)));
}

void Searches::forget(RunNumber number) {
    m_live.erase(number);
    if (m_live.empty()) m_eventTimer.stop();
}

}  // namespace mitos::views
