// SPDX-License-Identifier: GPL-3.0-or-later
// The open e-graph as the views of the perspective Saturate see it: read from a file, or grown by a saturation run with
// one snapshot per iteration.
#pragma once

#include "core/cost/cost_model.h"
#include "core/egraph/report.h"
#include "core/egraph/snapshot.h"
#include "core/rewrite/step.h"
#include "search/guide_tree.h"
#include "search/run.h"
#include "search/saturation/not_equal.h"
#include "views/job_runner/job_runner.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace mitos::views {

class Document;
using search::Run;
struct SearchSettings;

/// A thread obtained from an explanation of an e-graph, in its own bank.
struct FoundThread {
    std::shared_ptr<ir::TermBank> bank;
    rewrite::Thread thread;
    rewrite::ThreadReport check;
    bool fromProgram = false;  ///< it begins with the program that was saturated
    bool leadsToGoal = false;  ///< it proves the goal of the run
};

/// What a saturation was to prove: that a program equals the one that was saturated.
struct SaturationGoal {
    QString text;
    bool isDecided = false;                   ///< the run has ended
    std::optional<std::uint32_t> foundAfter;  ///< iterations, if it was found
};

/// GUI thread only. The report is the fold over a run's events; snapshots are immutable and shared, and views keep the one they
/// show. The e-graph of a run itself stays on the run's thread, and answers requests for explanations after the run.
class EGraphDocument : public QObject {
    Q_OBJECT
public:
    /// Limits, in e-nodes, of one snapshot and of all snapshots of a run together. Larger e-graphs are reported without a snapshot.
    static constexpr std::uint64_t LargestShown = 100'000;
    static constexpr std::uint64_t MostKept = 1'500'000;

    explicit EGraphDocument(JobRunner& jobs, QObject* parent = nullptr);
    ~EGraphDocument() override;

    /// Whether openFile() reads the file: its name ends in .json, and it does not begin as a task graph does. Other files are programs.
    [[nodiscard]] static bool isEGraphFile(const QString& path);
    /// An egraph-serialize file (.json); opened() or failed() follows.
    void openFile(const QString& path);
    /// Saturates the document's current program in a run of the document (`saturation` or `tensat`); opened() follows
    /// with the initial graph, then reportChanged() and snapshots, live. E-nodes have the costs that they add under
    /// the model. Replaces the e-graph that was open. Returns whether the run began. With a goal, the text of a program, the run ends
    /// when it is found, and threadFound() follows with the thread that leads to it.
    bool saturate(Document& document, const SearchSettings& settings, const QString& goal = {});
    /// Shows the growth that the events of a stored run report; there are no snapshots then.
    void showRun(const Document& document, const Run& run);
    [[nodiscard]] bool isSaturating() const { return m_isSaturating; }
    /// The document's run that is shown; 0 for a file, for a stored run, and once the run is not the document's any more.
    [[nodiscard]] int run() const { return m_run; }
    /// The goal of the run, if it had one and was not given up.
    [[nodiscard]] const std::optional<SaturationGoal>& goal() const { return m_goal; }
    /// Whether the goal was found, in words; empty without a goal.
    [[nodiscard]] QString goalText() const;

    [[nodiscard]] bool isOpen() const { return !m_steps.empty(); }
    [[nodiscard]] QString title() const { return m_title; }
    [[nodiscard]] QString sourcePath() const { return m_source; }
    /// The snapshot shown; null if no e-graph is open.
    [[nodiscard]] std::shared_ptr<const egraph::Snapshot> snapshot() const;

    /// True for a run, false for a file.
    [[nodiscard]] bool hasReport() const { return m_hasReport; }
    [[nodiscard]] const egraph::SaturationReport& report() const { return m_report; }
    /// The number of snapshots, and the index of the one shown; the oldest is 0.
    [[nodiscard]] int stepCount() const { return static_cast<int>(m_steps.size()); }
    [[nodiscard]] int shownStep() const { return static_cast<int>(m_shown); }
    void showStep(int step);
    /// The iteration after which the shown snapshot was taken; 0 before the first iteration. Without snapshots, the last one.
    [[nodiscard]] std::uint32_t iteration() const {
        return isOpen() ? m_steps[m_shown].iteration : static_cast<std::uint32_t>(m_report.iterations.size());
    }
    void showNearest(std::uint32_t iteration);

    /// The tree of the search that chose the rule applied after that iteration; null if no tree search did.
    [[nodiscard]] std::shared_ptr<const search::GuideTree> treeAfter(std::uint32_t iteration) const;
    /// Whether some rule was chosen by tree search.
    [[nodiscard]] bool hasTrees() const { return !m_trees.empty(); }
    /// Shows the e-graph that these rules, by number in the report and one after another, lead to from the one after that iteration of
    /// an ended run of tree search. It is made in a job; snapshotChanged() follows, or failed().
    void showTried(std::uint32_t iteration, const std::vector<std::uint32_t>& rules);
    /// The rules that lead to the e-graph shown, if it is one that the tree search tried; empty otherwise.
    [[nodiscard]] QStringList tried() const { return m_tried ? m_tried->rules : QStringList(); }

    /// The rule whose e-nodes are highlighted; empty if there is none.
    [[nodiscard]] QString rule() const { return m_rule; }
    void setRule(const QString& rule);

    /// Whether the e-graph can explain equalities: true for a run that has ended.
    [[nodiscard]] bool canExplain() const { return m_live != nullptr && !isSaturating(); }
    /// Cost of the program that takeCheapest() takes, under the run's model: the cheapest after the shown iteration; if
    /// the last one is shown, the cheapest of the run. Nothing if it is not known.
    [[nodiscard]] std::optional<double> cheapestCost() const;
    /// Of the run's costs; empty if another cost model than the run's is in force since it was opened.
    [[nodiscard]] const QString& costUnit() const { return m_costUnit; }
    /// Extracts the cheapest program after the shown iteration (see above), at the cost given in the report, with the
    /// steps that lead to it from the saturated program; under another model than the run's, the cheapest of the whole
    /// e-graph. threadFound() or failed() follows.
    void takeCheapest(std::shared_ptr<const cost::CostModel> model);
    /// Explains why two e-nodes (given by their ids in snapshots) are equal at the end of the run, or why not; explained(),
    /// notEqual() or failed() follows. If one of them is the saturated program, the thread begins with it.
    void explain(const QString& from, const QString& to);

Q_SIGNALS:
    void opened();           ///< another e-graph: everything changed
    void snapshotChanged();  ///< another snapshot is shown
    void stepsChanged();     ///< there are more snapshots
    void reportChanged();    ///< another iteration was made, or the run ended
    void ruleChanged();
    void threadFound(const mitos::views::FoundThread& found);
    void explained(const mitos::views::FoundThread& found);
    void notEqual(const mitos::search::NotEqual& answer);
    void failed(const QString& title, const QString& details);
    void notice(const QString& text, const QString& details = {});

private:
    struct Step {
        std::uint32_t iteration = 0;
        std::shared_ptr<const egraph::Snapshot> snapshot;
    };
    struct Tried {
        QStringList rules;
        std::shared_ptr<const egraph::Snapshot> snapshot;
    };
    struct Live;
    struct Mailbox;
    class Courier;
    [[nodiscard]] std::size_t promisedIteration() const;
    void reset(const QString& title, const QString& source);
    void follow(Document& document, int run);
    void fold(const search::SearchEvent& event);
    void collect(const Run& run);
    void end(const Run& run);
    void takeGoal();
    using Answer = std::variant<FoundThread, search::NotEqual>;
    /// Does the work in a job; failed() follows, or the answer is used, whose thread passed the checker.
    void ask(const QString& what, std::function<Result<Answer>(Live&, const std::stop_token&)> work,
             std::function<void(const Answer&)> use);

    JobRunner& m_jobs;
    JobId m_opening = 0;
    QString m_title;
    QString m_source;
    std::vector<Step> m_steps;
    std::size_t m_shown = 0;
    bool m_hasReport = false;
    egraph::SaturationReport m_report;
    std::vector<std::shared_ptr<const search::GuideTree>> m_trees;  ///< by the iterations before them; may be null
    std::optional<Tried> m_tried;                                   ///< shown instead of a step
    std::optional<double> m_resultCost;                             ///< of the run's result, once it has ended
    QString m_costUnit;
    QString m_rule;
    int m_run = 0;
    std::optional<SaturationGoal> m_goal;
    std::vector<std::string> m_leftOut;  ///< rules that the run was asked for and did not apply
    std::shared_ptr<Live> m_live;        ///< the run's graph
    std::shared_ptr<Mailbox> m_mailbox;  ///< snapshots that the current run has not delivered yet
    bool m_isSaturating = false;
    std::size_t m_folded = 0;            ///< number of the run's events that the report contains
    std::unique_ptr<QObject> m_subject;  ///< context of jobs about the open e-graph
};

}  // namespace mitos::views
