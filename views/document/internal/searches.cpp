// SPDX-License-Identifier: GPL-3.0-or-later
// See searches.h.
#include "views/document/internal/searches.h"

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
        if (const auto* const validated = event.as<search::Validated>()) {
            constexpr double Percent = 100.0;
            m_report(done, Document::tr("step %1 · %2 % less cost than uniform mutants")
                               .arg(validated->point.step)
                               .arg(Percent * validated->point.improvement, 0, 'f', 2));
            return;
        }
        const QString best = Document::tr("best %1 · %2 evaluations");
        const QString over = Document::tr("best %1 · %2 evaluations · comparing values");
        m_report(done,
                 (event.is<search::Finished>() ? over : best).arg(costText(event.best), countText(event.evaluations)));
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

/// A record in the session, which is removed instead of finished if the run is discarded.
class DiscardableRecord final : public search::RunLog {
public:
    DiscardableRecord(std::unique_ptr<storage::RunRecorder> record, const std::atomic<bool>& discarded)
        : m_record(std::move(record)),
          m_discarded(discarded) {}
    [[nodiscard]] search::RunId id() const override { return m_record->id(); }
    [[nodiscard]] search::Observer& observer() override { return m_record->observer(); }
    [[nodiscard]] Status flush() override { return m_record->flush(); }
    [[nodiscard]] Status finish(search::Run run) override {
        return m_discarded ? m_record->remove() : m_record->finish(std::move(run));
    }

private:
    std::unique_ptr<storage::RunRecorder> m_record;
    const std::atomic<bool>& m_discarded;
};

/// The data of a search's thread besides its order.
struct SearchRecord {
    std::shared_ptr<storage::SessionWriter> writer;
    std::shared_ptr<EventCollector> events;
    std::shared_ptr<const std::atomic<bool>> discarded;
    std::stop_token abandoned;
};

/// The body of the search's thread: runs the search, judges its result, and records both in the session, over a connection of its own.
SearchOutcome search(const SearchOrder& order, search::Run run, const SearchRecord& kept, const std::stop_token& stop,
                     const JobRunner::Report& report) {
    search::BeginLog record;
    if (const auto place = kept.writer ? kept.writer->place() : std::nullopt) {
        run.program = place->program;
        record = [path = place->path, discarded = kept.discarded](
                     const search::Run& begun, search::Observer* next) -> Result<std::unique_ptr<search::RunLog>> {
            MITOS_TRY(std::unique_ptr<storage::RunRecorder> row, storage::RunRecorder::begin(path, begun, next));
            return std::unique_ptr<search::RunLog>(std::make_unique<DiscardableRecord>(std::move(row), *discarded));
        };
    }
    if (order.rules.areForeign) report(-1.0, Document::tr("testing rules"));
    Result<eval::TrustedRules> trusted = order.rules.trusted(stop);
    if (!trusted) return {search::failedRun(run, record, std::move(trusted).error()), {}};
    search::SearchTask task{.strategy = order.strategy,
                            .problem = order.problem,
                            .run = std::move(run),
                            .judging = {.rules = std::make_shared<const eval::TrustedRules>(*trusted),
                                        .weights = order.model ? order.model->givenWeights() : nullptr,
                                        .abandoned = kept.abandoned},
                            .record = std::move(record)};
    task.problem.rules = trusted->directions;
    if (trusted->insisted) task.problem.comparingSeconds = 0.0;
    return {search::runJudged(task, stop, *kept.events), *std::move(trusted)};
}

}  // namespace

Searches::Searches(JobRunner& jobs) : m_jobs(jobs) {
    m_eventTimer.setInterval(EventIntervalMs);
    connect(&m_eventTimer, &QTimer::timeout, this, &Searches::collectEvents);
}

Searches::~Searches() {
    for (auto& [number, live] : m_live) live.judging.request_stop();
    for (auto& [session, all] : m_left) {
        for (Left& one : all) one.live.judging.request_stop();
    }
}

Run* Searches::find(RunNumber number) {
    const auto found = std::ranges::find(m_runs, number, &Run::number);
    return found == m_runs.end() ? nullptr : &*found;
}

int Searches::running() const {
    return static_cast<int>(std::ranges::count_if(m_runs, [](const Run& run) { return run.job != 0; }));
}

Searches::Left Searches::launch(PreparedSearch prepared, std::shared_ptr<storage::SessionWriter> writer,
                                RunNumber number) {
    Run run = std::move(prepared.run);
    const Live live{.context = std::make_shared<QObject>(),
                    .events = std::make_shared<EventCollector>(prepared.order.problem.budget),
                    .discarded = std::make_shared<std::atomic<bool>>(false),
                    .judging = {},
                    .writer = writer,
                    .mayContinue = prepared.mayContinue};
    run.number = number;
    run.state = search::RunState::Running;
    run.job = m_jobs.start(
        prepared.title, true, live.context.get(),
        [order = std::move(prepared.order), stored = run,
         kept = SearchRecord{std::move(writer), live.events, live.discarded, live.judging.get_token()}](
            const std::stop_token& stop, const JobRunner::Report& report) {
            kept.events->setReport(report);
            return search(order, stored, kept, stop, report);
        },
        [this, context = live.context.get()](SearchOutcome outcome) { deliver(context, std::move(outcome)); });
    m_eventTimer.start();
    return {std::move(run), live};
}

RunNumber Searches::start(PreparedSearch prepared, std::shared_ptr<storage::SessionWriter> writer) {
    Left one = launch(std::move(prepared), std::move(writer), ++m_last);
    m_live.emplace(m_last, std::move(one.live));
    m_runs.push_back(std::move(one.run));
    return m_last;
}

void Searches::startInBackground(const QString& session, PreparedSearch prepared,
                                 std::shared_ptr<storage::SessionWriter> writer) {
    const RunNumber number = prepared.run.number;
    m_left[session].push_back(launch(std::move(prepared), std::move(writer), number));
}

const Run* Searches::findInBackground(const QString& session, RunNumber number) const {
    const auto left = m_left.find(session);
    if (left == m_left.end()) return nullptr;
    const auto one = std::ranges::find(left->second, number, [](const Left& each) { return each.run.number; });
    return one == left->second.end() ? nullptr : &one->run;
}

void Searches::stop(RunNumber number) {
    if (const Run* run = find(number); run != nullptr && run->job != 0) m_jobs.stop(run->job);
}

void Searches::leave(const QString& session, Leaving leaving) {
    for (auto& [number, live] : m_live) {
        Run* const run = find(number);
        takeEvents(*run, live);
        const bool isStopped = leaving == Leaving::Stop || !live.mayContinue || session.isEmpty();
        if (isStopped) m_jobs.stop(run->job);
        // Without a session there is no record to go on with: the context is deleted, and the result is dropped.
        if (session.isEmpty()) live.judging.request_stop();
        if (!session.isEmpty()) m_left[session].push_back({std::move(*run), std::move(live), isStopped});
    }
    m_live.clear();
    if (!m_runs.empty()) m_jobs.release(std::make_shared<const std::vector<Run>>(std::exchange(m_runs, {})));
    m_last = 0;
    stopCollecting();
}

void Searches::enter(const QString& session, std::vector<Run> runs) {
    m_runs = std::move(runs);
    if (const auto left = m_left.find(session); left != m_left.end()) {
        for (Left& one : left->second) {
            Run* const stored = find(one.run.number);
            // The record may be complete although the result is not delivered yet; the record counts.
            if (stored != nullptr && stored->state != search::RunState::Running) continue;
            m_live.emplace(one.run.number, std::move(one.live));
            if (stored != nullptr)
                *stored = std::move(one.run);
            else
                m_runs.push_back(std::move(one.run));
        }
        m_left.erase(left);
    }
    if (!m_live.empty()) m_eventTimer.start();
    m_last = m_runs.empty() ? 0 : std::ranges::max_element(m_runs, {}, &Run::number)->number;
}

int Searches::inBackground(const QString& session) const {
    const auto left = m_left.find(session);
    if (left == m_left.end()) return 0;
    return static_cast<int>(std::ranges::count(left->second, false, &Left::isStopped));
}

void Searches::stopInBackground(const QString& session) {
    const auto left = m_left.find(session);
    if (left == m_left.end()) return;
    for (Left& one : left->second) {
        one.isStopped = true;
        m_jobs.stop(one.run.job);
    }
}

std::optional<Run> Searches::remove(RunNumber number) {
    const auto found = std::ranges::find(m_runs, number, &Run::number);
    if (found == m_runs.end()) return std::nullopt;
    if (found->job != 0) {
        Live& live = m_live.at(number);
        *live.discarded = true;
        live.judging.request_stop();
        m_jobs.discard(found->job);
        forget(number);
    }
    Run removed = std::move(*found);
    m_runs.erase(found);
    return removed;
}

bool Searches::takeEvents(Run& run, const Live& live) {
    std::vector<search::SearchEvent> fresh = live.events->take();
    if (fresh.empty()) return false;
    run.bestCost = fresh.back().best;
    std::move(fresh.begin(), fresh.end(), std::back_inserter(run.events));
    return true;
}

void Searches::collectEvents() {
    for (const auto& [number, live] : m_live) {
        Run* const run = find(number);
        if (run != nullptr && takeEvents(*run, live)) Q_EMIT progressed(number);
    }
    for (auto& [session, all] : m_left) {
        for (Left& one : all) {
            if (takeEvents(one.run, one.live)) Q_EMIT progressedInBackground(session, one.run.number);
        }
    }
}

void Searches::stopCollecting() {
    if (m_live.empty() && m_left.empty()) m_eventTimer.stop();
}

void Searches::deliver(const QObject* context, SearchOutcome outcome) {
    const auto isIt = [context](const Live& live) { return live.context.get() == context; };
    for (const auto& [number, live] : m_live) {
        if (isIt(live)) return finish(number, std::move(outcome));
    }
    for (auto& [session, all] : m_left) {
        const auto one = std::ranges::find_if(all, isIt, &Left::live);
        if (one == all.end()) continue;
        takeEvents(one->run, one->live);
        outcome.run.events = std::move(one->run.events);
        const JobId job = one->run.job;
        const QString of = session;
        const Live ended = std::move(one->live);  // its context is the one that this result is delivered to
        all.erase(one);
        if (all.empty()) m_left.erase(of);
        stopCollecting();
        Q_EMIT endedInBackground(of, job, std::make_shared<const SearchOutcome>(std::move(outcome)));
        return;
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
    stopCollecting();
}

}  // namespace mitos::views
