// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the open program: those that have ended, and the searches that still run.
#pragma once

#include "search/judged_run.h"
#include "views/document/document.h"

#include <QObject>
#include <QString>
#include <QTimer>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace mitos::storage {
class SessionWriter;
}

namespace mitos::views {

class EventCollector;

/// A search with all that it reads.
struct SearchOrder {
    std::shared_ptr<const search::Strategy> strategy;
    std::shared_ptr<const ir::TermBank> bank;  ///< of the problem
    SearchRules rules;
    search::SearchProblem problem;           ///< without rules
    std::shared_ptr<const OpenModel> model;  ///< of a tensor program; null for others
};

/// A search that may start.
struct PreparedSearch {
    QString title;
    SearchOrder order;
    Run run;
    bool mayContinue = true;  ///< when another program is opened; false if a view follows the search step by step
};

/// A search that is over.
struct SearchOutcome : search::JudgedRun {
    /// The report on rules that do not come with Mitos.
    eval::TrustedRules trusted = {};
};

/// Runs searches as jobs; each records itself in the session, over a connection of its own. A search whose program is left continues in
/// the background, and is one of the program's runs again when the session is opened before the search has ended. GUI thread only.
class Searches : public QObject {
    Q_OBJECT
public:
    explicit Searches(JobRunner& jobs);
    ~Searches() override;  ///< results that are being judged are dropped

    [[nodiscard]] const std::vector<Run>& runs() const { return m_runs; }
    [[nodiscard]] std::vector<Run>& runs() { return m_runs; }
    [[nodiscard]] Run* find(RunNumber number);
    [[nodiscard]] int running() const;

    /// Starts the run and numbers it. `writer`, that of the session, may be null.
    RunNumber start(PreparedSearch prepared, std::shared_ptr<storage::SessionWriter> writer);
    /// Starts a run of another session in the background, under the number that it has. It is one of the open program's runs when that
    /// session is opened before the search has ended.
    void startInBackground(const QString& session, PreparedSearch prepared,
                           std::shared_ptr<storage::SessionWriter> writer);
    /// A run in the background; null if there is none of that number, or it has ended.
    [[nodiscard]] const Run* findInBackground(const QString& session, RunNumber number) const;
    void stop(RunNumber number);
    /// The program is left. Searches that still run continue in the background, or are stopped; either way they complete their records in
    /// the session. Without a session (an empty path) their results are lost.
    enum class Leaving { Continue, Stop };
    void leave(const QString& session, Leaving leaving);
    /// The runs are those of this session from now on. Those that still run in the background are taken back.
    void enter(const QString& session, std::vector<Run> runs);
    /// Searches of a session that run in the background and were not stopped.
    [[nodiscard]] int inBackground(const QString& session) const;
    void stopInBackground(const QString& session);
    /// Removes a run and returns it. A search that still runs is stopped, and removes its record.
    std::optional<Run> remove(RunNumber number);

Q_SIGNALS:
    void progressed(int number);
    /// The run has its outcome, but is not part of the history.
    void ended(int number, int job, std::shared_ptr<const mitos::views::SearchOutcome> outcome);
    void progressedInBackground(const QString& session, int number);
    /// A search that ran in the background is over; its record is complete, and the outcome's run has its events.
    void endedInBackground(const QString& session, int job, std::shared_ptr<const mitos::views::SearchOutcome> outcome);

private:
    struct Live {
        std::shared_ptr<QObject> context;  ///< of the job; identifies the search
        std::shared_ptr<EventCollector> events;
        std::shared_ptr<std::atomic<bool>> discarded;
        std::stop_source judging;  ///< ends also the judging of the result, which follows a stop
        std::shared_ptr<storage::SessionWriter>
            writer;  ///< held until the result is delivered, so that the claim stays
        bool mayContinue = true;
    };
    struct Left {
        Run run;
        Live live;
        bool isStopped = false;
    };
    /// Starts the job of a run.
    [[nodiscard]] Left launch(PreparedSearch prepared, std::shared_ptr<storage::SessionWriter> writer,
                              RunNumber number);
    void collectEvents();
    void stopCollecting();
    /// Gives the run the events that its search has reported; false if there are none.
    static bool takeEvents(Run& run, const Live& live);
    void deliver(const QObject* context, SearchOutcome outcome);
    void finish(RunNumber number, SearchOutcome outcome);
    void forget(RunNumber number);

    JobRunner& m_jobs;
    std::vector<Run> m_runs;
    std::map<RunNumber, Live> m_live;
    std::map<QString, std::vector<Left>> m_left;  ///< by session
    QTimer m_eventTimer;
    RunNumber m_last = 0;
};

}  // namespace mitos::views
