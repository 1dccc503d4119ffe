// SPDX-License-Identifier: GPL-3.0-or-later
// The open session, shared by all views: the program, its history, the rules and the cost model in force, the runs.
#pragma once

#include "core/cost/cost_model.h"
#include "core/eval/evaluator.h"
#include "core/eval/testing/trusted_rules.h"
#include "core/ir/dialect.h"
#include "core/ks/module.h"
#include "core/rewrite/history.h"
#include "core/rewrite/rewriter.h"
#include "search/strategy.h"
#include "storage/session_labels.h"
#include "storage/workspace/new_program.h"
#include "storage/workspace/opening.h"
#include "views/document/selection.h"
#include "views/job_runner/job_runner.h"

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace mitos::views {

using search::Run;
using storage::Opened;
using storage::OpeningJob;
using storage::OpenModel;
using storage::Surroundings;
class ComparedPrograms;
struct ComparedSettings;
struct PreparedSearch;
struct SearchOutcome;

/// A program in a bank that terms may be added to.
struct ProgramCopy {
    std::shared_ptr<ir::TermBank> bank;
    ir::Program program;
};

/// A program state in a bank that is no longer modified, so that several threads may read it at once. Terms and functions have the same
/// ids as in the document's bank.
struct Snapshot {
    std::shared_ptr<const ir::TermBank> bank;
    ir::Program program;

    /// A copy, of the program alone, for work that adds terms; call it on the thread that does the work.
    [[nodiscard]] ProgramCopy copy() const;
};

/// The rules in force, for jobs that first determine which of them can be trusted.
struct SearchRules {
    rules::RuleBook book;
    std::shared_ptr<eval::RuleTrust> trust;
    bool areForeign = false;   ///< some rules do not come with Mitos and are therefore tested
    bool isInsisting = false;  ///< the user applies failed rules all the same

    /// Returns the rules that may be applied, and those left out. Tests rules that are not tested yet, which may take
    /// seconds. Fails if there were rules and none is left.
    [[nodiscard]] Result<eval::TrustedRules> trusted(const std::stop_token& stop) const;
};

/// The settings collected by the search dialog.
struct SearchSettings {
    QString strategy;
    ParameterValues parameters;
    search::Budget budget;
    std::uint64_t seed = 1;
    QString costModel = {};  ///< empty: the one in force
};

/// A program chosen for a comparison: a .ks file, a model, or a session, whose program is compared from its start.
struct ProgramChoice {
    QString path;
    QString function = {};  ///< of a .ks file; empty: the last one

    friend bool operator==(const ProgramChoice&, const ProgramChoice&) = default;
};

/// How far a comparison of searches is.
struct ComparisonProgress {
    int searches = 0;  ///< of the comparison; 0 if none was started
    int ended = 0;     ///< with their result judged
    [[nodiscard]] bool isRunning() const { return ended < searches; }
};

/// Owns the bank whose terms all views show. GUI thread only. Long work (reading files, searching, writing the session)
/// runs on other threads and returns by signals; nothing here blocks.
class Document : public QObject {
    Q_OBJECT
public:
    Document(JobRunner& jobs, Selection& selection, QObject* parent = nullptr);
    ~Document() override;

    // --- opening ---
    /// Opens a ks program, an ONNX model, a listing or a session; opened() or failed() follows.
    void openFile(const QString& path, const QString& function = {});
    void openText(const QString& title, const QString& text);  ///< ks text, or a listing
    /// Builds and opens one of core/networks.
    void openNetwork(const QString& name, bool realistic);
    /// The folder of new sessions: <application data>/sessions.
    [[nodiscard]] static QString sessionFolder();
    /// Whether an opening is in progress.
    [[nodiscard]] bool isOpening() const;
    /// Whether a found thread is still being added to the history, or the history is being priced by another cost model.
    [[nodiscard]] bool isReceiving() const;
    void openSession(const QString& path);  ///< restores program, history, runs, view state
    /// The session file in use. Each program opened gets a new one in the application's data folder; empty if it could
    /// not be written (reported by failed()).
    [[nodiscard]] QString sessionPath() const;
    void saveSessionAs(const QString& path);
    /// When the session was begun.
    [[nodiscard]] QDateTime begunAt() const { return m_begunAt; }
    /// The user's name, note and tags of the session.
    [[nodiscard]] const storage::SessionLabels& labels() const { return m_labels; }
    void setLabels(const storage::SessionLabels& labels);
    /// Its name where several sessions are listed (document/session_names.h).
    [[nodiscard]] QString sessionName() const;
    /// Leaves the program, as opening another one does: its searches continue in the background, and it keeps its session even without
    /// changes, until forget() is called or this object ends.
    void leave();
    [[nodiscard]] int searchesInBackground(const QString& session) const;
    /// The session left earlier will not be opened again: stops its searches, which complete their records; a job deletes a session
    /// without changes.
    void forget(const QString& session);
    /// The session left earlier stays even if it is without changes, because another window goes on with it.
    void keep(const QString& session);
    /// Small values stored with the session (perspective, selected position, …).
    void setViewValue(const QString& key, const QString& value);
    [[nodiscard]] QString viewValue(const QString& key) const;

    // --- reading ---
    [[nodiscard]] bool isOpen() const { return m_history.has_value(); }
    [[nodiscard]] QString title() const { return m_title; }
    [[nodiscard]] QString sourcePath() const { return m_source; }
    /// The dialect of the open program; the first one of the registry if none is open.
    [[nodiscard]] const ir::Dialect& dialect() const;
    /// The parts of a tensor program besides its terms; null for a ks program or if no program is open.
    [[nodiscard]] std::shared_ptr<const OpenModel> model() const { return m_model; }
    [[nodiscard]] ir::TermBank& bank() { return *m_bank; }
    [[nodiscard]] const ir::TermBank& bank() const { return *m_bank; }
    [[nodiscard]] const rewrite::History& history() const { return *m_history; }
    [[nodiscard]] ir::Program current() const { return m_history->program(m_history->current()); }
    [[nodiscard]] const rules::RuleBook& rules() const { return *m_rules; }
    [[nodiscard]] const cost::CostModel& costModel() const { return *m_costModel; }
    [[nodiscard]] std::shared_ptr<const cost::CostModel> sharedCostModel() const { return m_costModel; }
    /// Cost of a root in the document's bank under the model in force.
    [[nodiscard]] double cost(ir::TermId root);
    [[nodiscard]] std::vector<cost::CostPart> explainCost(ir::TermId root);
    [[nodiscard]] const std::vector<Run>& runs() const;
    [[nodiscard]] const Run* run(RunNumber number) const;
    /// Cheap however large the program is (ir::TermBank::frozen()).
    [[nodiscard]] Snapshot snapshot(const ir::Program& program) const;
    /// The root after a step on the current state; does not take the step.
    [[nodiscard]] Result<ir::TermId> resultOf(const rewrite::Step& step);
    /// Number of searches that have not ended yet.
    [[nodiscard]] int runningSearches() const;
    /// Whether the weights are random numbers because the file they came from was not found.
    [[nodiscard]] bool isModelMissing() const;

    // --- trust ---
    /// Rules that do not come with Mitos are tested in a job when they come into force; searches leave out those that
    /// failed or could not be tested.
    /// Whether there are such rules, as far as is known: some failed, or are being tested.
    [[nodiscard]] bool hasDoubtfulRules() const;
    /// Directions in force that failed their test, as far as it has run.
    [[nodiscard]] const std::vector<eval::DoubtfulRule>& failedRules() const;
    /// Directions in force that could not be tested.
    [[nodiscard]] const std::vector<eval::DoubtfulRule>& untestedRules() const;
    /// Whether searches apply those rules all the same. Holds only for the rules in force; other rules start with false.
    [[nodiscard]] bool isInsisting() const;
    void setInsisting(bool insisting);
    [[nodiscard]] SearchRules searchRules() const;
    /// Whether the rules in force apply, by hand and in searches, where the sign they require is unknown. The setting
    /// is kept when the rules change; another program starts with false, a session with its stored value.
    [[nodiscard]] bool allowsAssumptions() const;
    void setAllowingAssumptions(bool allowed);
    /// The assumptions made by the steps from the start to a state: "x + 3 > 0".
    [[nodiscard]] QStringList assumptions(rewrite::StateId state);
    /// Work that judges a thread, in a bank that is not modified and with the model's weights.
    using Judging = std::function<rewrite::Judged(const std::stop_token&, const JobRunner::Report&)>;
    [[nodiscard]] Judging judgingOf(std::shared_ptr<const ir::TermBank> bank, const rewrite::Thread& thread,
                                    std::vector<double> costs, std::uint64_t seed) const;

    // --- changing ---
    /// Applies a step to the current state; the new (or already known) state becomes current. Emits failed() if the
    /// step does not apply.
    void apply(const rewrite::Step& step);
    /// Applies the step's rule wherever it matches the current state, innermost places first, one state per step.
    /// Places where it no longer applies by then are skipped. The places are found in a job, so the states arrive later.
    void applyEverywhere(const rewrite::Step& step);
    /// Adds a checked thread from elsewhere, starting at the given state; its end becomes current. Emits failed() if
    /// the thread does not begin at that state. `origin` names it in the history ("e-graph: tree"). A job compares the
    /// values of both ends; failed() if they differ. `joined` is called with the number of states that the history did not have.
    void joinThread(rewrite::StateId start, const std::shared_ptr<const ir::TermBank>& bank,
                    const rewrite::Thread& thread, const QString& origin,
                    std::function<void(std::size_t added)> joined = {});
    void checkout(rewrite::StateId state);
    void undo();
    void redo();
    void goToBest();
    void mark(rewrite::StateId state, const rewrite::Marks& marks);
    /// Reads the weights of the open program from that file, provided it is the file the session was made with,
    /// possibly moved; modelChanged() or failed() follows.
    void findModel(const QString& path);
    /// While no program is open, the rules are for the next program of the kind that they apply to.
    void setRules(const QString& names);
    /// Reads the files of the rules in force again, because one of them has changed.
    void reloadRules();
    void setCostModel(const QString& name);
    /// Starts a search from the current state on its own thread; the thread of rewrites it finds joins the history when it ends.
    /// `strategy`, if given, runs in place of the usual one of that name. Returns 0 if the search cannot start.
    RunNumber startSearch(const SearchSettings& settings, std::shared_ptr<const search::Strategy> strategy = nullptr);
    void stopRun(RunNumber run);
    void discardRun(RunNumber run);
    /// Starts these searches from a state, the current one if none is given, as many at a time as there are processors; the others
    /// wait, and begin with the rules and the cost model that are in force now. Their threads join the history, but the current state
    /// stays. A comparison that still runs goes on with them. Nothing starts if one of them cannot (failed()). The further programs are
    /// searched in the same way, from their starts; one that cannot be opened is reported by failed(), and the others are searched.
    void startComparison(const std::vector<SearchSettings>& searches, const std::vector<ProgramChoice>& programs = {},
                         std::optional<rewrite::StateId> from = std::nullopt);
    /// Stops the comparison's searches, which keep their results, and drops those that wait.
    void stopComparison();
    [[nodiscard]] ComparisonProgress comparison() const;
    /// The programs that are compared beside the open one; their sessions are remembered by that of the open program.
    [[nodiscard]] const ComparedPrograms& comparedPrograms() const;
    /// A value of the views was stored in the session of a further program.
    void setComparedValue(int program, const QString& key, const QString& value);
    /// Whether the run was started by a comparison since the program was opened.
    [[nodiscard]] bool isCompared(RunNumber run) const;

Q_SIGNALS:
    /// The program that was open is gone: isOpen() is false, and stored ids of its states, places and runs are invalid.
    /// Receivers must drop them; opened() may follow at once.
    void closed();
    void opened();  ///< another program: everything changed
    void labelsChanged();
    void currentChanged();  ///< another state of the history is current
    void historyChanged();  ///< states were added, or costs changed
    void marksChanged(rewrite::StateId state);
    void rulesChanged();
    void costModelChanged();
    void modelChanged();          ///< the weights were found
    void trustChanged();          ///< the rules in force were tested, or isInsisting() changed
    void runChanged(int number);  ///< new events or an outcome; at most 30 a second
    void runRemoved(int number);
    /// The run has ended: its thread, if it has one, is part of the history and was compared by value.
    void runEnded(int number);
    /// A search of a session left earlier has ended. `error`: it could not be recorded, or it failed.
    void endedInBackground(const QString& session, const mitos::search::Run& run, const QString& error);
    void comparisonChanged();                                       ///< comparison() changed
    void comparedProgramsChanged();                                 ///< one was added, or is in another state
    void comparedRunChanged(int program, int number);               ///< as runChanged(), of a further program
    void failed(const QString& title, const QString& details);      ///< shown in the message bar
    void openingFailed(const mitos::Error& error);                  ///< failed() follows; the open program stays
    void notice(const QString& text, const QString& details = {});  ///< shown as a line in the message bar

private:
    struct Private;
    using Opening = std::function<Result<Opened>(const Surroundings&, const OpeningJob&)>;
    void startOpening(const QString& what, bool isLong, Opening work);
    void adopt(Opened opened);
    /// Loads the rules of a choice with whole paths in a job, then puts them into force.
    void loadRules(const std::string& chosen);
    /// Puts loaded rules for programs of that registry into force, unless loading failed.
    void takeRules(Result<rules::RuleBook> loaded, const std::shared_ptr<const ir::OperatorRegistry>& registry);
    /// Uses the rules in force for steps taken by hand, and stores their names in the session.
    void applyRules();
    /// Makes the rules in force the choice for programs opened from now on.
    void chooseRules();
    /// Tests rules that came into force, and reports those that failed.
    void testRules();
    void warnAbout(const rewrite::Step& step);
    /// Shows a notice with the assumptions made by the steps after `from` up to `to`.
    void sayAssumptions(rewrite::StateId from, rewrite::StateId to, const QString& what);
    /// Sets the verdict as the outcome of the job that judged.
    void sayVerdict(JobId job, const rewrite::Verdict& verdict);
    /// Called when a thread with that end joined the history but leads to other values: reports it, and returns to the
    /// last state with the same values, unless the user insists or went on meanwhile.
    void offerPart(rewrite::StateId end, const rewrite::Judged& judged, const QString& origin);
    void judgeJoined(rewrite::StateId end, std::shared_ptr<const ir::TermBank> bank, const rewrite::Thread& thread,
                     std::vector<double> costs, const QString& origin);
    struct Joined {
        rewrite::StateId end;
        bool isCurrent = false;
    };
    /// Adds a thread of this bank to the history without emitting signals. If the user went on by hand meanwhile, the
    /// current state stays current.
    Joined join(rewrite::StateId start, rewrite::Thread thread, const std::vector<double>& costs,
                const std::string& origin, bool mayBeCurrent = true);
    void announce(const Joined& joined);
    void goOnPricing();
    void stateChanged();
    void writeRules();
    /// Ends the session of the open program, if there is one. If the program is left, its searches continue, and the session stays.
    void endSession(bool isLeft);
    /// Deletes the session unless something was done with it. Reads the file.
    static void deleteUntouched(const QString& session);
    void reportBackground(const QString& session, JobId job, const SearchOutcome& outcome);
    /// Continues the session that was opened, or begins a new one.
    void startSession(const Opened& opened);
    /// What a new session holds besides runs.
    [[nodiscard]] storage::NewProgram programToStore();
    void writeAllRuns();
    [[nodiscard]] Surroundings surroundings() const;
    /// A search from the current state; nothing, after failed(), if it cannot start.
    [[nodiscard]] std::optional<PreparedSearch> prepareSearch(const SearchSettings& settings, rewrite::StateId from,
                                                              std::shared_ptr<const search::Strategy> strategy);
    RunNumber beginSearch(PreparedSearch prepared);
    /// Starts waiting searches of a comparison while there are processors.
    void goOnComparing();
    /// The settings with which a further program is opened and its session begins.
    [[nodiscard]] ComparedSettings comparedSettings() const;
    /// The sessions of the further programs are a value of this one.
    void rememberCompared();
    void recallCompared();
    /// Called once the result of a run is judged, or when there is none.
    void endCompared(RunNumber number);
    void finishRun(RunNumber number, JobId job, const std::shared_ptr<const SearchOutcome>& outcome);
    /// Called once the thread that the search found is part of the history.
    void endRun(RunNumber number, JobId job, const SearchOutcome& outcome, rewrite::StateId end);
    /// Reports that a result was not kept, as only a part of it has the values of its start.
    void sayRefused(const Run& run, const rewrite::Verdict& refused);
    /// Judges the thread of a run that ended when the session was closed, which is part of the history.
    void judgeRecovered(storage::RecoveredThread found);

    std::unique_ptr<Private> m_private;
    JobRunner& m_jobs;
    Selection& m_selection;
    std::shared_ptr<ir::TermBank> m_bank;
    std::shared_ptr<const OpenModel> m_model;
    std::optional<rewrite::History> m_history;
    std::optional<rules::RuleBook> m_rules;
    std::shared_ptr<const cost::CostModel> m_costModel;
    std::shared_ptr<cost::CostEvaluator> m_costs;
    QString m_title;
    QString m_source;
    QDateTime m_begunAt;
    storage::SessionLabels m_labels;
};

}  // namespace mitos::views
