// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the open program: those that have ended, and the searches that still run.
#pragma once

#include "views/document/document.h"

#include <QObject>
#include <QTimer>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
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
    search::SearchProblem problem;  ///< without rules
};

/// A search that may start.
struct PreparedSearch {
    QString title;
    SearchOrder order;
    Run run;
};

/// The result of a search.
struct SearchOutcome {
    std::optional<search::SearchResult> result;
    std::optional<Error> error;       ///< of the search
    std::optional<Error> writeError;  ///< of writing its events
    Run run;                          ///< without events
    bool inSession = false;           ///< the run is stored in the session file
    /// The report on rules that do not come with Mitos.
    eval::TrustedRules trusted = {};
};

/// Runs searches as jobs; each records itself in the session, over a connection of its own. GUI thread only.
class Searches : public QObject {
    Q_OBJECT
public:
    explicit Searches(JobRunner& jobs);

    [[nodiscard]] const std::vector<Run>& runs() const { return m_runs; }
    [[nodiscard]] std::vector<Run>& runs() { return m_runs; }
    [[nodiscard]] Run* find(RunNumber number);
    [[nodiscard]] int running() const;

    /// Starts the run and numbers it. `context` is that of its job; `writer`, that of the session, may be null.
    RunNumber start(PreparedSearch prepared, QObject* context, std::shared_ptr<storage::SessionWriter> writer);
    void stop(RunNumber number);
    /// The runs are those of another program from now on. Searches that still run are stopped; they complete their records in the old
    /// session.
    void replace(std::vector<Run> runs);
    /// Removes a run and returns it. A search that still runs is stopped, and removes its record.
    std::optional<Run> remove(RunNumber number);

Q_SIGNALS:
    void progressed(int number);
    /// The run has its outcome, but is not part of the history.
    void ended(int number, int job, std::shared_ptr<const mitos::views::SearchOutcome> outcome);

private:
    struct Live {
        std::shared_ptr<EventCollector> events;
        std::shared_ptr<std::atomic<bool>> discarded;
    };
    void collectEvents();
    void finish(RunNumber number, SearchOutcome outcome);
    void forget(RunNumber number);

    JobRunner& m_jobs;
    std::vector<Run> m_runs;
    std::map<RunNumber, Live> m_live;
    QTimer m_eventTimer;
    RunNumber m_last = 0;
};

}  // namespace mitos::views
