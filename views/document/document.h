// SPDX-License-Identifier: GPL-3.0-or-later
// The open session as the views see it: the program, its history, the rules and the cost model in force, the runs.
#pragma once

#include "core/cost/cost_model.h"
#include "core/eval/evaluator.h"
#include "core/eval/trusted_rules.h"
#include "core/ks/module.h"
#include "core/rewrite/history.h"
#include "core/rewrite/rewriter.h"
#include "search/strategy.h"
#include "storage/session.h"
#include "views/document/selection.h"
#include "views/jobs/job_runner.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace mitos::views {

struct OpenModel;
struct Opened;
struct OpeningJob;
struct SearchOutcome;
struct Surroundings;

/// A program in a bank that terms may be added to.
struct ProgramCopy {
    std::shared_ptr<ir::TermBank> bank;
    ir::Program program;
};

/// A program state in a bank that nobody changes any more: what is handed to other threads, several at once.
struct Snapshot {
    std::shared_ptr<const ir::TermBank> bank;
    ir::Program program;

    /// For work that adds terms; made where the work is done.
    [[nodiscard]] ProgramCopy copy() const;
};

/// A search the user started, live or read back from the session file. Views fold over `events`.
struct Run {
    RunNumber number = 0;
    JobId job = 0;              ///< 0 once it is only history
    storage::StoredRun stored;  ///< what was asked, and the outcome once there is one
    std::vector<search::SearchEvent> events;
    rewrite::StateId resultState;  ///< end of its thread in the history; invalid while running
    bool recovered = false;        ///< its thread joined the history only when the session was opened again
};

/// The rules in force, for work elsewhere that asks first which of them can be trusted.
struct SearchRules {
    rules::RuleBook book;
    std::shared_ptr<eval::RuleTrust> trust;
    bool areForeign = false;   ///< some do not come with the program, so that they are tested
    bool isInsisting = false;  ///< on those that failed

    /// What may be applied, and what is left out. Tests what nobody has tested yet, which may take seconds. Error: nothing is
    /// left of rules that there were.
    [[nodiscard]] Result<eval::TrustedRules> trusted(const std::stop_token& stop) const;
};

/// What the search dialog gathered.
struct SearchSettings {
    QString strategy;
    search::ParameterValues parameters;
    search::Budget budget;
    std::uint64_t seed = 1;
};

/// Owns the bank all views show terms of. GUI thread only. Long work (reading files, searching, writing the session)
/// happens elsewhere and comes back as signals; nothing here blocks.
class Document : public QObject {
    Q_OBJECT
public:
    Document(JobRunner& jobs, Selection& selection, QObject* parent = nullptr);
    ~Document() override;

    // --- opening ---
    /// A ks program, an ONNX model, a listing or a session; opened() or failed() follows.
    void openFile(const QString& path, const QString& function = {});
    void openText(const QString& title, const QString& text);  ///< typed ks text, or a listing
    /// One of core/networks, made on the spot.
    void openNetwork(const QString& name, bool realistic);
    /// Where new sessions are made: <application data>/sessions.
    [[nodiscard]] static QString sessionFolder();
    /// Whether something is being opened.
    [[nodiscard]] bool isOpening() const;
    /// A thread that was found is on its way into the history, or another cost model prices it.
    [[nodiscard]] bool isReceiving() const;
    void openSession(const QString& path);  ///< restores program, history, runs, view state
    /// The session file in use. A fresh one in the application's data folder is made for each program opened; empty if it
    /// could not be written (failed() said so).
    [[nodiscard]] QString sessionPath() const;
    void saveSessionAs(const QString& path);
    /// Small values kept with the session (perspective, selected position, …).
    void setViewValue(const QString& key, const QString& value);
    [[nodiscard]] QString viewValue(const QString& key) const;

    // --- reading ---
    [[nodiscard]] bool isOpen() const { return m_history.has_value(); }
    [[nodiscard]] QString title() const { return m_title; }
    [[nodiscard]] QString sourcePath() const { return m_source; }
    /// Of the open program: whether it is a tree (ks) or a graph (tensors). A tree while there is none.
    [[nodiscard]] ir::Sharing sharing() const;
    /// What a tensor program has besides its terms; null: the program is of ks, or there is none.
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
    [[nodiscard]] const std::vector<Run>& runs() const { return m_runs; }
    [[nodiscard]] const Run* run(RunNumber number) const;
    /// The last two are remembered: every view asks for the current state, and for one that it is compared with.
    [[nodiscard]] Snapshot snapshot(const ir::Program& program) const;
    /// The root after a step on the current state, without doing it.
    [[nodiscard]] Result<ir::TermId> resultOf(const rewrite::Step& step);
    /// Searches that have not ended yet.
    [[nodiscard]] int runningSearches() const;
    /// The weights are random numbers since the file that they are from was not found.
    [[nodiscard]] bool isModelMissing() const;

    // --- trust ---
    /// Rules that do not come with the program are tested in a job when they come into force; searches leave out what failed or could not be tested.
    /// Whether there are such, as far as is known: some failed, or are being tested.
    [[nodiscard]] bool hasDoubtfulRules() const;
    /// Directions in force that failed, as far as they are tested.
    [[nodiscard]] const std::vector<eval::DoubtfulRule>& failedRules() const;
    /// Directions in force that could not be tested.
    [[nodiscard]] const std::vector<eval::DoubtfulRule>& untestedRules() const;
    /// Whether searches apply them all the same. Of the rules in force only: others begin without.
    [[nodiscard]] bool isInsisting() const;
    void setInsisting(bool insisting);
    [[nodiscard]] SearchRules searchRules() const;
    /// Whether the rules in force apply, by hand and in searches, where the sign that they ask for is not known. Other rules keep it;
    /// another program begins without, a session as it was left.
    [[nodiscard]] bool allowsAssumptions() const;
    void setAllowingAssumptions(bool allowed);
    /// What the steps from the start to a state take for granted: "x + 3 > 0".
    [[nodiscard]] QStringList assumptions(rewrite::StateId state);
    /// Work that judges a thread: in a bank that nobody changes, with the model's weights.
    using Judging = std::function<rewrite::Judged(const std::stop_token&, const JobRunner::Report&)>;
    [[nodiscard]] Judging judgingOf(std::shared_ptr<const ir::TermBank> bank, const rewrite::Thread& thread,
                                    std::vector<double> costs, std::uint64_t seed) const;

    // --- changing ---
    /// Does a step on the current state; the new (or found) state becomes current. failed() if it does not apply.
    void apply(const rewrite::Step& step);
    /// The same rule wherever it applies to the current state, the innermost places first: a state a step. Places
    /// where it does not apply any more by then are left out. Found in a job: the states come later.
    void applyEverywhere(const rewrite::Step& step);
    /// A checked thread from somewhere else, from the given state on; its end becomes current. failed() if it does not begin
    /// there. `origin` names it in the history ("e-graph: tree"). Its ends are compared by value, in a job; failed() if they differ.
    void joinThread(rewrite::StateId start, const std::shared_ptr<const ir::TermBank>& bank,
                    const rewrite::Thread& thread, const QString& origin);
    void checkout(rewrite::StateId state);
    void undo();
    void redo();
    void goToBest();
    void mark(rewrite::StateId state, const rewrite::Marks& marks);
    /// Reads the weights of the open program from that file, if it is the one that the session was made with, wherever it is
    /// now; modelChanged() or failed() follows.
    void findModel(const QString& path);
    /// While no program is open, they are for the next one of the kind that they are for.
    void setRules(const QString& names);
    void setCostModel(const QString& name);
    /// Starts a search from the current state on a thread of its own; its thread joins the history when it ends.
    RunNumber startSearch(const SearchSettings& settings);
    void stopRun(RunNumber run);
    void discardRun(RunNumber run);

Q_SIGNALS:
    /// The program that was open is gone: isOpen() is false, and numbers of its states, places and runs mean nothing any more.
    /// Whoever keeps such forgets them; opened() may follow at once.
    void closed();
    void opened();          ///< another program: everything changed
    void currentChanged();  ///< another state of the history is current
    void historyChanged();  ///< states were added, or costs changed
    void marksChanged(rewrite::StateId state);
    void rulesChanged();
    void costModelChanged();
    void modelChanged();          ///< the weights were found
    void trustChanged();          ///< the rules in force were tested, or whether failed ones are applied changed
    void runChanged(int number);  ///< new events or an outcome; at most 30 a second
    void runRemoved(int number);
    /// It has come to its end: its thread, if it has one, is part of the history and was compared by value.
    void runEnded(int number);
    void failed(const QString& title, const QString& details);      ///< shown in the message bar
    void openingFailed(const mitos::Error& error);                  ///< failed() follows; what was open stays
    void notice(const QString& text, const QString& details = {});  ///< worth a line in the message bar

private:
    struct Private;
    using Opening = std::function<Result<Opened>(const Surroundings&, const OpeningJob&)>;
    void startOpening(const QString& what, bool isLong, Opening work);
    void adopt(Opened opened);
    /// Rules loaded for programs of that registry come into force, unless they could not be.
    void takeRules(Result<rules::RuleBook> loaded, const std::shared_ptr<const ir::OperatorRegistry>& registry);
    /// Steps by hand are taken with the rules in force, and the session keeps which these are.
    void applyRules();
    /// The rules in force are those for programs opened from now on.
    void chooseRules();
    /// Tests rules that came into force, and says what failed.
    void testRules();
    void warnAbout(const rewrite::Step& step);
    /// As a notice: what the steps from one state to another, after it, take for granted.
    void sayAssumptions(rewrite::StateId from, rewrite::StateId to, const QString& what);
    /// As the outcome of the job that judged.
    void sayVerdict(JobId job, const rewrite::Verdict& verdict);
    /// A thread that leads to other values joined the history with that end: reports it, and goes back to the part of it whose values
    /// are the same, unless the user insists or went on meanwhile.
    void offerPart(rewrite::StateId end, const rewrite::Judged& judged, const QString& origin);
    void judgeJoined(rewrite::StateId end, std::shared_ptr<const ir::TermBank> bank, const rewrite::Thread& thread,
                     std::vector<double> costs, const QString& origin);
    struct Joined {
        rewrite::StateId end;
        bool isCurrent = false;
    };
    /// Adds a thread of this bank to the history, and says nothing yet. Whoever went on by hand meanwhile stays there.
    Joined join(rewrite::StateId start, rewrite::Thread thread, const std::vector<double>& costs,
                const std::string& origin);
    void announce(const Joined& joined);
    void goOnPricing();
    void stateChanged();
    void writeNewStates();
    void writeValue(const char* key, const std::string& value);
    void writeRules();
    void startSession(const Opened& opened);
    void openWriter(std::optional<storage::ProgramId> program);
    void persistEverything();
    [[nodiscard]] Surroundings surroundings() const;
    void sessionBroke(int writer, const Error& error);
    void collectEvents();
    void finishRun(RunNumber number, SearchOutcome outcome);
    /// The thread that the search found is part of the history.
    void endRun(RunNumber number, JobId job, const SearchOutcome& outcome, rewrite::StateId end);
    /// Judges the thread of a run's result. `job` is the search's; 0: it ended when the session was left, and is not announced.
    void verify(RunNumber number, JobId job, std::shared_ptr<const ir::TermBank> bank, const rewrite::Thread& thread,
                std::vector<double> costs);
    void storeRun(const Run& run);
    Run* findRun(RunNumber number);

    std::unique_ptr<Private> m_private;
    JobRunner& m_jobs;
    Selection& m_selection;
    std::shared_ptr<ir::TermBank> m_bank;
    std::shared_ptr<const OpenModel> m_model;
    std::optional<rewrite::History> m_history;
    std::optional<rules::RuleBook> m_rules;
    std::shared_ptr<const cost::CostModel> m_costModel;
    std::shared_ptr<cost::CostEvaluator> m_costs;
    std::vector<Run> m_runs;
    QString m_title;
    QString m_source;
};

}  // namespace mitos::views
