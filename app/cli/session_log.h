// SPDX-License-Identifier: GPL-3.0-or-later
// Stores the runs of `optimize` in a session file.
#pragma once

#include "app/cli/context.h"
#include "core/rewrite/verdict.h"
#include "search/strategy.h"
#include "storage/session.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mitos::cli {

/// The session rows of a program and its runs, one per seed. Used by one thread at a time; the writers are for the threads that
/// search, each with its own connection.
class SessionLog {
public:
    /// Opens the file, adds the program and a run for each seed. Fails as storage::Session does.
    [[nodiscard]] static Result<SessionLog> open(const std::string& path, const CommonOptions& options,
                                                 OpenProgram& program, const search::SearchProblem& problem,
                                                 const search::StrategyInfo& strategy,
                                                 const std::vector<std::uint64_t>& seeds);

    /// Writes the events of one run.
    class Writer {
    public:
        Writer(std::unique_ptr<storage::Session> session, storage::RunId run, search::Observer& next)
            : m_session(std::move(session)),
              m_writer(*m_session, run, &next) {}
        [[nodiscard]] storage::RunWriter& events() { return m_writer; }

    private:
        std::unique_ptr<storage::Session> m_session;
        storage::RunWriter m_writer;
    };
    [[nodiscard]] Result<std::unique_ptr<Writer>> writer(std::size_t run, search::Observer& next) const;

    /// Stores the result of a run and marks it as finished.
    [[nodiscard]] Status finishRun(std::size_t run, const search::SearchResult& result, const rewrite::Verdict& verdict,
                                   const std::string& threadText);
    /// Removes a run that never began or had no result.
    [[nodiscard]] Status dropRun(std::size_t run);
    /// Adds the thread of a run to the program's history and makes its end the current state, which the session shows when it is
    /// opened again, as the desktop does after a run.
    [[nodiscard]] Status addThread(OpenProgram& program, std::size_t task, const search::SearchResult& result);

private:
    std::string m_path;
    std::unique_ptr<storage::Session> m_session;
    std::vector<storage::StoredRun> m_runs;
    std::optional<rewrite::History> m_history;
};

}  // namespace mitos::cli
