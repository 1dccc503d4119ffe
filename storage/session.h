// SPDX-License-Identifier: GPL-3.0-or-later
// A session is one SQLite file: programs, history, runs with their events and results, view state.
#pragma once

#include "core/rewrite/history.h"
#include "core/rewrite/verdict.h"
#include "search/strategy.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mitos::storage {

using ProgramId = StrongId<struct ProgramRowTag>;
using RunId = StrongId<struct RunRowTag>;

/// A program as it was opened.
struct StoredProgram {
    ProgramId id;
    std::string title;     ///< shown to people: the file's name and the function's
    std::string source;    ///< the file's path; empty for typed text
    std::string text;      ///< ks text (ks::printProgram)
    std::string openedAt;  ///< ISO 8601, UTC
};

/// One state of a history, in order of id; state 0 is the start and has no step.
struct StoredState {
    std::uint32_t id = 0;
    std::optional<std::uint32_t> parent;
    std::string rule;         ///< direction name, "distribute~"
    std::string position;     ///< "/0/2"; of a step at several positions "/0/2,/1"
    std::uint32_t match = 0;  ///< number among the matches of that rule there, 0 being the first
    /// The step as a thread (rewrite::writeThread), where rule, position and match do not find it again: reversed steps, and
    /// those whose match leaves variables open. Else empty.
    std::string thread = {};
    std::uint64_t hash = 0;  ///< content hash of the state's term
    double cost = 0.0;
    std::string origin;
    rewrite::Marks marks;
};

/// Whether a run that was read is as Session::finishRun() left it, with all its events.
enum class Integrity : std::uint8_t {
    Unknown,  ///< it did not finish, or an earlier version wrote it
    Intact,
    Changed,  ///< by something that keeps no seal
};

/// What a search was asked to do and, once finished, what it found.
struct StoredRun {
    RunId id;
    ProgramId program;
    std::uint32_t startState = 0;  ///< of the history
    std::string strategy;
    std::string parameters;  ///< JSON object
    std::string rules;       ///< rule set names
    std::string costModel;
    std::string budget;  ///< JSON object
    std::uint64_t seed = 0;
    std::string startedAt;  ///< ISO 8601, UTC
    std::string status;     ///< "running", "finished", "interrupted" (killed: found "running" when opened)
    std::string stop;       ///< stop reason
    double initialCost = 0.0;
    double bestCost = 0.0;
    bool threadChecked = false;
    std::string thread;      ///< rewrite::writeThread text; empty while running
    std::string statistics;  ///< JSON object
    Integrity integrity = Integrity::Unknown;
};

struct OpenReport {
    bool created = false;
    bool readOnly = false;    ///< the file or its folder cannot be written: everything shows, nothing is kept
    int migratedFrom = 0;     ///< schema version before migration; 0 if it was current; a backup FILE.bak was made
    int interruptedRuns = 0;  ///< runs that were killed
};

/// An open session. Belongs to one thread: a worker opens its own Session on the same path, and both see each other's
/// writes (a session in memory is seen by one only). Every write is a small transaction, durable when the call returns;
/// run events are written in batches (see RunWriter). Errors are Io (disk full, read-only, damaged, locked by another
/// program for more than five seconds), Incompatible (newer schema: says which version is needed; not a Mitos session),
/// InvalidInput (an id that is not there, a state that is there already); what was kept before stays, and the session
/// stays usable.
class Session {
public:
    /// Opens or creates. Path ":memory:" keeps it in memory.
    [[nodiscard]] static Result<Session> open(const std::string& path);
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    ~Session();

    [[nodiscard]] const std::string& path() const;
    [[nodiscard]] const OpenReport& report() const;
    /// A complete copy of the file as it is now. It appears whole or not at all: what it replaces stays until it is done.
    enum class Existing { Refuse, Replace };
    [[nodiscard]] Status copyTo(const std::string& path, Existing existing = Existing::Refuse);

    // programs
    [[nodiscard]] Result<ProgramId> addProgram(const std::string& title, const std::string& source,
                                               const std::string& text);
    [[nodiscard]] Result<std::vector<StoredProgram>> programs();
    /// Takes the program's history for this session, as two that go on with it would give the same numbers to different
    /// states. It is given back when the session is closed or its process ends; addProgram() takes what it adds. Error
    /// Io: another session has it, with the process it belongs to. Runs may be recorded by anybody.
    [[nodiscard]] Status claimHistory(ProgramId program);

    // history
    [[nodiscard]] Status addState(ProgramId program, const StoredState& state);
    [[nodiscard]] Status addStates(ProgramId program, const std::vector<StoredState>& states);  ///< one transaction
    [[nodiscard]] Status markState(ProgramId program, std::uint32_t state, const rewrite::Marks& marks);
    [[nodiscard]] Result<std::vector<StoredState>> states(ProgramId program);

    // runs
    [[nodiscard]] Result<RunId> beginRun(const StoredRun& run);
    [[nodiscard]] Status appendEvents(RunId run, const std::vector<search::SearchEvent>& events);  ///< one transaction
    /// The best a running search has found so far, checked: what is left of it if it is killed.
    [[nodiscard]] Status keepBest(RunId run, const search::BestSoFar& best);
    [[nodiscard]] Status finishRun(const StoredRun& run);
    [[nodiscard]] Status removeRun(RunId run);
    [[nodiscard]] Result<std::vector<StoredRun>> runs(std::optional<ProgramId> program = std::nullopt);
    [[nodiscard]] Result<std::vector<search::SearchEvent>> events(RunId run);

    // view state: small values by key ("current-state", "perspective", …)
    [[nodiscard]] Status setValue(const std::string& key, const std::string& value);
    [[nodiscard]] Result<std::optional<std::string>> value(const std::string& key);

private:
    struct Implementation;
    explicit Session(std::unique_ptr<Implementation> implementation);
    std::unique_ptr<Implementation> m_impl;
};

/// Whether a file begins as a session of any version does. Safe on sessions that are open.
[[nodiscard]] bool looksLikeSession(const std::string& path);
/// Deletes a session with the companion files of its log. Nobody may have it open.
void removeSession(const std::string& path);

/// The stored form of a history state.
[[nodiscard]] StoredState toStored(ir::TermBank& bank, const rewrite::History& history, rewrite::StateId id);

/// What could be rebuilt of a history.
struct RestoredHistory {
    rewrite::History history;
    /// By stored id, the state it is now. None: its step does not replay, or that of a state before it does not.
    std::vector<std::optional<rewrite::StateId>> states;
    std::size_t lost = 0;  ///< how many states have none
    std::optional<Error>
        firstLost{};  ///< why the first of them does not replay (rule missing or changed), with its number
};
/// A history rebuilt from stored states: each step is replayed in the bank, with the given rules, or with assumptions
/// (rules::Assumptions) where these forbid them, and the other way round. Errors: the start is missing, or is another
/// program.
[[nodiscard]] Result<RestoredHistory> restoreHistory(ir::TermBank& bank, const ir::Program& start,
                                                     const std::vector<StoredState>& states,
                                                     const rules::RuleBook& rules);

/// JSON of parameters, budgets and statistics, as stored.
[[nodiscard]] std::string toJson(const search::ParameterValues& values);
[[nodiscard]] std::string toJson(const search::Budget& budget);
[[nodiscard]] std::string toJson(const search::SearchStatistics& statistics);
/// A run's statistics with the verdict on its result as the fields `verdict` and `equivalent`. `rules`: rewrite::rulesHash() of the
/// thread that was judged.
[[nodiscard]] std::string withVerdict(const std::string& statistics, const rewrite::Verdict& verdict,
                                      std::uint64_t rules);
/// The verdict in a run's statistics; nothing: its result is not judged yet. Earlier versions wrote fewer fields. Of a run that was
/// read it counts only if isVerdictOf().
[[nodiscard]] std::optional<rewrite::Verdict> verdictIn(const StoredRun& run);
/// The statistics without a verdict.
[[nodiscard]] std::string withoutVerdict(const std::string& statistics);
/// Whether the verdict of a run that was read is on a thread from one program to the other, given by their content hashes: the run
/// is intact, its thread begins and ends with these programs, and the rules that it uses have the same text as when it was judged.
[[nodiscard]] bool isVerdictOf(const StoredRun& run, std::uint64_t start, std::uint64_t end,
                               const rules::RuleBook& rules);

/// An observer that writes a run's events to the session in batches (every `batchSeconds`, or 256 events); what a kill
/// can lose is the last batch. The best thread is kept too, as often, and less often where working it out takes long. It writes through the session it is given, on the thread that runs the search: a worker
/// opens a Session of its own for it.
class RunWriter final : public search::Observer {
public:
    /// `next` gets every event too (may be null).
    RunWriter(Session& session, RunId run, search::Observer* next, double batchSeconds = 0.5);
    ~RunWriter() override;
    void onEvent(const search::SearchEvent& event) override;
    void onBest(search::FindBest find) override;
    /// Writes what is pending. The first write error of the run, if any: after one, events stay in memory until this is
    /// called, which tries again.
    [[nodiscard]] Status flush();

private:
    Session& m_session;
    RunId m_run;
    search::Observer* m_next;
    double m_batchSeconds;
    double m_lastWrite = 0.0;
    std::optional<double> m_best;      ///< of the last event
    std::optional<double> m_keptBest;  ///< of the thread in the session, at first the start's
    double m_nextKeep = 0.0;           ///< seconds of the run
    double m_seconds = 0.0;            ///< of the last event
    std::vector<search::SearchEvent> m_pending;
    std::optional<Error> m_error;
};

}  // namespace mitos::storage
