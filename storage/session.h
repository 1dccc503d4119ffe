// SPDX-License-Identifier: GPL-3.0-or-later
// A session is one SQLite file: programs, history, runs with their events and results, view state.
#pragma once

#include "core/rewrite/history.h"
#include "core/rewrite/verdict.h"
#include "search/run.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mitos::storage {

using search::Integrity;
using search::ProgramId;
using search::Run;
using search::RunId;

/// A program as it was opened.
struct StoredProgram {
    ProgramId id;
    std::string title;     ///< shown to users: names of the file and the function
    std::string source;    ///< the file's path; empty for typed text
    std::string text;      ///< ks text (ks::printProgram)
    std::string openedAt;  ///< ISO 8601, UTC
};

/// One state of a history. Histories list states in order of id; state 0 is the start and has no step.
struct StoredState {
    std::uint32_t id = 0;
    std::optional<std::uint32_t> parent;
    std::string rule;      ///< direction name, "distribute~"
    std::string position;  ///< "/0/2"; for a step at several positions "/0/2,/1"
    /// As rewrite::substitutionText writes it; nothing if `thread` or, in rows of earlier versions, `match` identifies the instance.
    std::optional<std::string> substitution = {};
    std::uint32_t match = 0;  ///< of earlier versions: number among the matches of that rule at the position, from 0
    /// The step as a thread (rewrite::writeThread), if rule, position and substitution do not identify it: reversed steps, and steps with
    /// values that the program does not contain. Otherwise empty.
    std::string thread = {};
    std::string region =
        {};  ///< as rewrite::toString(StepRegion) writes it; empty if the step has none, or if `thread` has it
    std::uint64_t hash = 0;  ///< content hash of the state's term
    double cost = 0.0;
    std::string origin;
    rewrite::Marks marks;
};

struct OpenReport {
    bool created = false;
    bool readOnly = false;    ///< the file or its folder cannot be written; everything can be read, nothing is stored
    int migratedFrom = 0;     ///< schema version before migration (then FILE.bak is a backup); 0 if it was current
    int interruptedRuns = 0;  ///< runs that were killed
};

/// An open session. Belongs to one thread: a worker opens its own Session on the same path, and both see each other's writes (a
/// session in memory is visible only to its own object). Every write is a small transaction that is durable when the call returns;
/// run events are written in batches (see RunWriter). Errors are Io (disk full, read-only, damaged, locked by another program for
/// more than five seconds), Incompatible (newer schema, with the version needed; not a Mitos session) and InvalidInput (an unknown
/// id, a state that already exists). After an error the data written before is intact, and the session stays usable.
class Session {
public:
    /// Opens or creates a session. The path ":memory:" creates one in memory.
    [[nodiscard]] static Result<Session> open(const std::string& path);
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    ~Session();

    [[nodiscard]] const std::string& path() const;
    [[nodiscard]] const OpenReport& report() const;
    /// Writes a complete copy of the current file. The copy appears as a whole or not at all: the file that it replaces stays until
    /// the copy is complete.
    enum class Existing { Refuse, Replace };
    [[nodiscard]] Status copyTo(const std::string& path, Existing existing = Existing::Refuse);

    // programs
    [[nodiscard]] Result<ProgramId> addProgram(const std::string& title, const std::string& source,
                                               const std::string& text);
    [[nodiscard]] Result<std::vector<StoredProgram>> programs();
    /// Claims the program's history for this session, since two sessions that extend it would give the same numbers to different
    /// states. The claim ends when the session is closed or its process ends; addProgram() claims the program it adds. Fails with Io
    /// if another session holds the claim; the error names its process. Recording runs needs no claim.
    [[nodiscard]] Status claimHistory(ProgramId program);

    // history
    [[nodiscard]] Status addStates(ProgramId program, const std::vector<StoredState>& states);  ///< one transaction
    [[nodiscard]] Status markState(ProgramId program, std::uint32_t state, const rewrite::Marks& marks);
    [[nodiscard]] Result<std::vector<StoredState>> states(ProgramId program);

    // runs
    /// Stores the run under its number; under the next free one if it has none, or another run of the program has it.
    [[nodiscard]] Result<RunId> beginRun(const Run& run);
    [[nodiscard]] Status appendEvents(RunId run, const std::vector<search::SearchEvent>& events);  ///< one transaction
    /// Stores the checked best thread of a running search, so that it remains if the process is killed.
    [[nodiscard]] Status keepBest(RunId run, const search::BestSoFar& best);
    [[nodiscard]] Status finishRun(const Run& run);
    [[nodiscard]] Status removeRun(RunId run);
    [[nodiscard]] Result<std::vector<Run>> runs(std::optional<ProgramId> program = std::nullopt);
    [[nodiscard]] Result<std::vector<search::SearchEvent>> events(RunId run);

    // view state: small values by key ("current-state", "perspective", …)
    [[nodiscard]] Status setValue(const std::string& key, const std::string& value);
    [[nodiscard]] Result<std::optional<std::string>> value(const std::string& key);

private:
    struct Implementation;
    explicit Session(std::unique_ptr<Implementation> implementation);
    std::unique_ptr<Implementation> m_impl;
};

/// Whether a file begins with the header of an SQLite database, as sessions of any version do. Safe on sessions that are open.
[[nodiscard]] bool looksLikeSession(const std::string& path);
/// Deletes a session with the companion files of its log. The session must not be open.
void removeSession(const std::string& path);

/// The stored form of a history state.
[[nodiscard]] StoredState toStored(ir::TermBank& bank, const rewrite::History& history, rewrite::StateId id);

/// The part of a stored history that could be restored.
struct RestoredHistory {
    rewrite::History history;
    /// The restored state by stored id; null if its step or that of an ancestor does not replay.
    std::vector<std::optional<rewrite::StateId>> states;
    std::size_t lost = 0;  ///< number of states that could not be restored
    std::optional<Error>
        firstLost{};  ///< why the first of them does not replay (rule missing or changed), with its number
};
/// Restores a history from stored states: each step is replayed in the bank with the given rules; a step that fails is tried again
/// with the opposite setting of rules::Assumptions. Fails if the start is missing or is a different program.
[[nodiscard]] Result<RestoredHistory> restoreHistory(ir::TermBank& bank, const ir::Program& start,
                                                     const std::vector<StoredState>& states,
                                                     const rules::RuleBook& rules);

/// Whether the verdict of a run that was read applies to a thread from `start` to `end`, which are content hashes of programs: the run
/// is intact, its thread begins and ends with these programs, and its rules have the same text as when it was judged.
[[nodiscard]] bool isVerdictOf(const Run& run, std::uint64_t start, std::uint64_t end, const rules::RuleBook& rules);

/// An observer that writes a run's events to the session in batches (every `batchSeconds`, or 256 events); a kill loses at most the
/// last batch. It also stores the best thread, as often, or less often if constructing it takes long. It writes through the given
/// session, on the thread that runs the search, so a worker opens its own Session for it.
class RunWriter final : public search::Observer {
public:
    /// Events are also forwarded to `next`, which may be null.
    RunWriter(Session& session, RunId run, search::Observer* next, double batchSeconds = 0.5);
    ~RunWriter() override;
    void onEvent(const search::SearchEvent& event) override;
    void onBest(search::FindBest find) override;
    /// Writes pending events. Returns the first write error of the run, if any. After an error, events stay in memory until the next
    /// call of flush(), which tries again.
    [[nodiscard]] Status flush();

private:
    Session& m_session;
    RunId m_run;
    search::Observer* m_next;
    double m_batchSeconds;
    double m_lastWrite = 0.0;
    std::optional<double> m_best;      ///< of the last event
    std::optional<double> m_keptBest;  ///< of the thread in the session, initially the start's
    double m_nextKeep = 0.0;           ///< time of the run, in seconds, when the best thread may be stored next
    double m_seconds = 0.0;            ///< of the last event
    std::vector<search::SearchEvent> m_pending;
    std::optional<Error> m_error;
};

}  // namespace mitos::storage
