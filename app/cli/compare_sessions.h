// SPDX-License-Identifier: GPL-3.0-or-later
// Stores the runs of `compare` in sessions that the desktop opens: one for each program.
#pragma once

#include "app/cli/session_log.h"
#include "search/compare/comparison.h"

#include <cstddef>
#include <string>
#include <vector>

namespace mitos::cli {

/// The session of the first program, which names those of the others (storage::ComparedSessionsKey); they are files beside it.
class CompareSessions {
public:
    /// Nothing is stored if `path` is empty.
    explicit CompareSessions(std::string path) : m_path(std::move(path)) {}

    /// The file for the next program: the given one, or one beside it that is named after the program.
    [[nodiscard]] std::string nextPath(const std::string& program) const;
    /// Begins the session of the next program. Fails as SessionLog::open() does.
    [[nodiscard]] Status add(const std::string& path, const CommonOptions& options, OpenProgram& program,
                             const cost::CostModel& model);
    /// Names the sessions of the others in the first one.
    [[nodiscard]] Status join();
    /// The record of the runs of a program, for search::ComparisonPlan; null if nothing is stored.
    [[nodiscard]] search::BeginLog recordingOf(std::size_t program) const;

private:
    std::string m_path;
    std::vector<std::string> m_paths;
    std::vector<SessionLog> m_logs;  ///< one for each program
};

}  // namespace mitos::cli
