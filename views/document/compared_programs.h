// SPDX-License-Identifier: GPL-3.0-or-later
// The programs of a comparison beside the open one.
#pragma once

#include "search/run.h"
#include "storage/workspace/opening.h"
#include "views/document/document.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::views {

class SessionFile;
class Searches;

/// A program that may be chosen, with its name for people.
struct ProgramCandidate {
    QString name;
    ProgramChoice choice;
    bool isChosen = false;
};

/// A run of a comparison. The open program is number 0, the further ones are 1, 2, ….
struct ComparedRunId {
    int program = 0;
    RunNumber run = 0;

    friend auto operator<=>(const ComparedRunId&, const ComparedRunId&) = default;
};

/// The settings of the open program, with which further programs are opened and searched.
struct ComparedSettings {
    QString title;  ///< of the open program
    Surroundings surroundings;
    SearchRules rules;
    std::shared_ptr<const cost::CostModel> costModel;
    std::string costModelName;
    std::string dialect;
};

/// A search that waits for a further program to be opened.
struct AskedSearch {
    std::shared_ptr<const search::Strategy> strategy;
    ParameterValues parameters;  ///< all of them
    search::Budget budget;
    std::uint64_t seed = 1;
};

struct ComparedProgram {
    enum class State {
        Searching,
        Reading,  ///< its session is read, for its history
        Ready,
        Lost,  ///< its session cannot be read: see `problem`
    };
    QString title;
    QString session;  ///< path of its file; empty while there is none
    State state = State::Searching;
    QString problem;
    std::vector<Run> runs;                          ///< those that have ended
    std::map<std::string, std::string> viewValues;  ///< of its session
    QString runtimeObstacle;                        ///< why ONNX Runtime cannot run its states; empty if it can
    /// Its history with the runs' results, in a bank of its own; null until its session was read.
    std::shared_ptr<const Opened> opened;
};

/// The further programs of the open session. Their searches are jobs in the background (Searches), and record themselves in a session
/// for each program, which is read again when they have ended: what is shown is what is stored. GUI thread only.
class ComparedPrograms : public QObject {
    Q_OBJECT
public:
    /// `session`: the file of the open program, which goes on with the writers of the further ones if one of them is opened.
    ComparedPrograms(JobRunner& jobs, Searches& searches, SessionFile& session);
    ~ComparedPrograms() override;

    /// Those that are opened. Their numbers stay: programs without runs are the last ones.
    [[nodiscard]] int count() const { return static_cast<int>(m_entries.size()); }
    /// The program of that number, from 1.
    [[nodiscard]] const ComparedProgram& at(int program) const;
    /// The runs of the program, those that still run included, by number.
    [[nodiscard]] std::vector<const Run*> runsOf(int program) const;
    [[nodiscard]] const Run* run(ComparedRunId id) const;

    /// The work of a job that opens the session of the program, as it is stored, with its model.
    using Reading = std::function<Result<Opened>(const std::stop_token&, const JobRunner::Report&)>;
    [[nodiscard]] Reading reading(int program) const;
    /// A value of the views was stored in the session of the program.
    void setStoredValue(int program, const QString& key, const QString& value);

    /// Opens the programs, and adds the searches to those that wait. A program that is compared already goes on in its session.
    void add(const std::vector<ProgramChoice>& programs, const std::vector<AskedSearch>& searches,
             const ComparedSettings& settings);
    /// Reads the sessions of an earlier comparison.
    void restore(const QStringList& sessions, const ComparedSettings& settings);
    /// The files of the programs, as restore() takes them.
    [[nodiscard]] QStringList sessions() const;
    /// Starts one of the searches that wait; false if there is none, or its program is not open yet.
    bool startNext();
    [[nodiscard]] int asked() const { return m_asked; }  ///< searches added since forgetAsked(), but for those dropped
    void forgetAsked() { m_asked = 0; }
    [[nodiscard]] int waiting() const;  ///< searches that wait
    [[nodiscard]] int active() const;   ///< searches whose result is not judged yet
    /// Drops those that wait, and stops the others, which keep their results.
    void stop();
    /// The open program is left: stops, and forgets the programs.
    void leave();

    /// Called with the outcome of a search in the background; false if it is of no further program.
    bool finish(const QString& session, int job, const std::shared_ptr<const SearchOutcome>& outcome);

Q_SIGNALS:
    void changed();
    void runChanged(int program, int number);
    void sessionsChanged();  ///< sessions() changed
    void searchesChanged();  ///< more wait, or fewer are active
    void failed(const QString& title, const QString& details);
    void notice(const QString& text, const QString& details);

private:
    struct Entry;
    [[nodiscard]] int numberOf(const Entry& entry) const;
    [[nodiscard]] Entry* withSession(const QString& session) const;
    [[nodiscard]] QString uniqueTitle(const QString& title, const Entry* self) const;
    void opened(Entry& entry, Result<Opened> opened);
    void reject(Entry& entry, const Error& error);
    void drop(Entry& entry);
    void endRun(Entry& entry, RunNumber number);
    /// Reads the session of an entry without active searches.
    void read(Entry& entry);

    JobRunner& m_jobs;
    Searches& m_searches;
    SessionFile& m_session;
    ComparedSettings m_settings;
    std::vector<std::unique_ptr<Entry>> m_entries;
    std::vector<std::unique_ptr<Entry>> m_opening;
    int m_asked = 0;
    std::unique_ptr<QObject> m_context;  ///< of the jobs
};

}  // namespace mitos::views
