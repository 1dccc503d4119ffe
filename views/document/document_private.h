// SPDX-License-Identifier: GPL-3.0-or-later
// What Document keeps to itself, shared by its implementation files.
#pragma once

#include "views/document/document.h"
#include "views/document/opening.h"
#include "views/document/session_writer.h"
#include "views/document/thread_arrivals.h"

#include <QFile>
#include <QTimer>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mitos::views {

[[nodiscard]] inline std::string nativePath(const QString& path) { return QFile::encodeName(path).toStdString(); }

/// Tells the document, from other threads, what happened to its session, as long as there is a document.
struct Relay {
    std::mutex mutex;
    Document* document = nullptr;
};

/// Takes a run's events on the search's thread until the GUI thread fetches them.
class EventCollector final : public search::Observer {
public:
    explicit EventCollector(search::Budget budget) : m_budget(budget) {}
    void onEvent(const search::SearchEvent& event) override;
    [[nodiscard]] std::vector<search::SearchEvent> take();
    void setReport(JobRunner::Report report) { m_report = std::move(report); }

private:
    search::Budget m_budget;
    JobRunner::Report m_report;
    std::mutex m_mutex;
    std::vector<search::SearchEvent> m_events;
};

/// What a search leaves behind.
struct SearchOutcome {
    std::optional<search::SearchResult> result;
    std::optional<Error> error;       ///< of the search
    std::optional<Error> writeError;  ///< of writing its events
    storage::StoredRun stored;
    bool inSession = false;  ///< the run stands in the session file
    /// What was said about rules that do not come with the program.
    eval::TrustedRules trusted = {};
};

struct LiveRun {
    std::shared_ptr<EventCollector> events;
    std::shared_ptr<std::atomic<bool>> discarded;
};

struct Document::Private {
    std::shared_ptr<const ir::OperatorRegistry> registry;
    QString ruleNames;
    QString costModelName;
    /// What programs are opened under, by ir::Sharing.
    std::array<Choice, 2> choices;
    [[nodiscard]] Choice& choice(ir::Sharing sharing) { return choices.at(static_cast<std::size_t>(sharing)); }
    bool rulesLoaded = false;

    std::shared_ptr<eval::RuleTrust> trust = std::make_shared<eval::RuleTrust>();
    bool isForeign = false;                      ///< some rules in force do not come with the program
    bool isInsisting = false;                    ///< on those that failed
    std::vector<eval::DoubtfulRule> failed;      ///< of the rules in force
    std::vector<eval::DoubtfulRule> untested;    ///< likewise
    std::vector<rewrite::Step> appliedUntested;  ///< by hand, before their rules' test was over
    JobId testJob = 0;

    std::vector<std::optional<QStringList>> assumed;  ///< by state, as far as asked for

    std::unique_ptr<QObject> program;  ///< results of jobs about an older program are dropped with its object
    std::unique_ptr<rewrite::Rewriter> rewriter;
    std::unique_ptr<ThreadArrivals> arrivals;
    /// Another cost model prices the history a few states at a time; then it comes into force.
    struct Pricing {
        QString name;
        std::shared_ptr<const cost::CostModel> model;
        std::shared_ptr<cost::CostEvaluator> evaluator;
        std::vector<double> costs;
    };
    std::optional<Pricing> pricing;
    QTimer pricingTimer;
    std::map<RunNumber, LiveRun> live;
    struct Taken {
        ir::Program program;  ///< in the document's bank
        Snapshot snapshot;
    };
    std::vector<Taken> snapshots;  ///< the latest last
    QTimer eventTimer;
    QTimer valueTimer;
    RunNumber lastRun = 0;
    JobId openingJob = 0;
    JobId rulesJob = 0;
    std::function<void()> openNext;  ///< once the rules are there

    std::shared_ptr<Relay> relay = std::make_shared<Relay>();
    std::shared_ptr<SessionWriter> writer;  ///< null: nothing is kept
    int writerNumber = 0;
    QString sessionPath;
    bool freshSession = false;  ///< made for this program, not chosen by the user
    std::string storedText;
    std::map<std::string, std::string> viewValues;
    std::size_t writtenStates = 0;
    /// Rows of runs in the session, invalid while there is none; only the writer's tasks look inside.
    std::map<RunNumber, std::shared_ptr<storage::RunId>> rows;
};

}  // namespace mitos::views
