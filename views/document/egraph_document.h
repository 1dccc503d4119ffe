// SPDX-License-Identifier: GPL-3.0-or-later
// The e-graph on the desk, as the views of the perspective Saturate see it: of a file, or of a saturation run with a
// snapshot an iteration.
#pragma once

#include "core/cost/cost_model.h"
#include "core/egraph/report.h"
#include "core/egraph/snapshot.h"
#include "core/rewrite/step.h"
#include "views/jobs/job_runner.h"

#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace mitos::views {

struct SearchRules;
struct Snapshot;

/// What the dialog gathered.
struct SaturationSettings {
    std::uint32_t iterations = 10;
    std::uint64_t nodes = 20'000;
    double seconds = 10.0;
    QString scheduler = QStringLiteral("backoff");
};

/// A thread that an e-graph explained, in a bank of its own.
struct FoundThread {
    std::shared_ptr<ir::TermBank> bank;
    rewrite::Thread thread;
    rewrite::ThreadReport check;
    bool fromProgram = false;  ///< it begins with the program that was saturated
};

/// GUI thread only. Snapshots are immutable and shared; views keep the one they look at. A run's e-graph itself stays with
/// its thread, and after the run is asked for explanations.
class EGraphDocument : public QObject {
    Q_OBJECT
public:
    /// E-graphs larger than this are reported, but no snapshot is taken of them; and of all snapshots of a run.
    static constexpr std::uint64_t LargestShown = 100'000;
    static constexpr std::uint64_t MostKept = 1'500'000;

    explicit EGraphDocument(JobRunner& jobs, QObject* parent = nullptr);
    ~EGraphDocument() override;

    /// Whether a file of that name is read by openFile() rather than as a program.
    [[nodiscard]] static bool isEGraphFile(const QString& path);
    /// An egraph-serialize file (.json); opened() or failed() follows.
    void openFile(const QString& path);
    /// Saturates a program on a thread of its own; opened() follows with the graph it begins with, then reportChanged() and
    /// snapshots, live. E-nodes have the costs that they add under the model. The e-graph that was open is given up. Rules that
    /// failed their test are left out, unless the user insists.
    void saturate(const QString& title, const Snapshot& program, const SearchRules& rules,
                  std::shared_ptr<const cost::CostModel> model, const SaturationSettings& settings);
    /// What was found stays.
    void stop();
    [[nodiscard]] bool isSaturating() const { return m_running != 0; }

    [[nodiscard]] bool isOpen() const { return !m_steps.empty(); }
    [[nodiscard]] QString title() const { return m_title; }
    [[nodiscard]] QString sourcePath() const { return m_source; }
    /// The one that is shown; null: none is open.
    [[nodiscard]] std::shared_ptr<const egraph::Snapshot> snapshot() const;

    /// Of a run; a file has none.
    [[nodiscard]] bool hasReport() const { return m_hasReport; }
    [[nodiscard]] const egraph::SaturationReport& report() const { return m_report; }
    /// Snapshots, the oldest first, and which of them is shown.
    [[nodiscard]] int stepCount() const { return static_cast<int>(m_steps.size()); }
    [[nodiscard]] int shownStep() const { return static_cast<int>(m_shown); }
    void showStep(int step);
    /// The iteration after which the shown snapshot was taken; 0: before the first.
    [[nodiscard]] std::uint32_t iteration() const { return isOpen() ? m_steps[m_shown].iteration : 0; }
    void showNearest(std::uint32_t iteration);

    /// The rule whose e-nodes the user looks for; empty: none.
    [[nodiscard]] QString rule() const { return m_rule; }
    void setRule(const QString& rule);

    /// Whether the e-graph can say why things are equal: a run's can, once it has ended.
    [[nodiscard]] bool canExplain() const { return m_live != nullptr && !isSaturating(); }
    /// What the program costs that takeCheapest() takes under the run's model: the cheapest after the shown iteration, of the last
    /// one shown the cheapest of the run. Nothing: it is not known.
    [[nodiscard]] std::optional<double> cheapestCost() const;
    /// The cheapest program after the shown iteration (see above), as the report has its cost, with the steps that lead to it from the one
    /// that was saturated; under another model than the run's, the cheapest of the whole e-graph. threadFound() or failed() follows.
    void takeCheapest(std::shared_ptr<const cost::CostModel> model);
    /// Why two e-nodes (by the ids of snapshots) are equal; explained() or failed() follows. If one of them is the program
    /// that was saturated, the thread begins with it.
    void explain(const QString& from, const QString& to);

Q_SIGNALS:
    void opened();           ///< another e-graph: everything changed
    void snapshotChanged();  ///< another snapshot is shown
    void stepsChanged();     ///< there are more snapshots
    void reportChanged();    ///< an iteration more, or the run ended
    void ruleChanged();
    void threadFound(const mitos::views::FoundThread& found);
    void explained(const mitos::views::FoundThread& found);
    void failed(const QString& title, const QString& details);
    void notice(const QString& text, const QString& details = {});

private:
    struct Step {
        std::uint32_t iteration = 0;
        std::shared_ptr<const egraph::Snapshot> snapshot;
    };
    struct Live;
    struct Mailbox;
    [[nodiscard]] std::size_t promisedIteration() const;
    void reset(const QString& title, const QString& source);
    void collect();
    void ask(const QString& what, std::function<Result<FoundThread>(Live&, const std::stop_token&)> work,
             void (EGraphDocument::*found)(const FoundThread&));

    JobRunner& m_jobs;
    JobId m_opening = 0;
    JobId m_running = 0;
    QString m_title;
    QString m_source;
    std::vector<Step> m_steps;
    std::size_t m_shown = 0;
    bool m_hasReport = false;
    egraph::SaturationReport m_report;
    QString m_rule;
    std::shared_ptr<Live> m_live;        ///< the run's graph
    std::shared_ptr<Mailbox> m_mailbox;  ///< what the running one has not delivered yet
    QTimer m_mailTimer;
    std::unique_ptr<QObject> m_subject;  ///< context of jobs about the open e-graph
};

}  // namespace mitos::views
