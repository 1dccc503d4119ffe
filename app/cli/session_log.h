// SPDX-License-Identifier: GPL-3.0-or-later
// Stores the runs of `optimize` and `compare` in session files.
#pragma once

#include "app/cli/context.h"
#include "search/strategy.h"
#include "storage/workspace/run_recorder.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mitos::cli {

/// The files that are written for `--session`: the session and its log. Empty if the path is empty.
[[nodiscard]] std::vector<NamedFile> sessionFiles(const std::string& path);

/// The rows of a program in a session. The runs are recorded over connections of their own (storage::RunRecorder).
class SessionLog {
public:
    /// Opens the file and adds the program. Fails as storage::Session does.
    [[nodiscard]] static Result<SessionLog> open(const std::string& path, const CommonOptions& options,
                                                 OpenProgram& program, const cost::CostModel& model);

    /// Records runs of the program, each over a connection of its own. Their threads join the history when the session is opened.
    [[nodiscard]] search::BeginLog recording() const;
    /// Sets a value of the views (storage::ViewValuesKey); the others stay.
    [[nodiscard]] Status setViewValue(const std::string& name, const std::string& value);
    /// The names of the rule sets, with whole paths.
    [[nodiscard]] const std::string& rules() const { return m_rules; }
    /// Adds a thread to the program's history and makes its end the current state, which the session shows when it is opened again,
    /// as the desktop does after a run.
    [[nodiscard]] Status addThread(OpenProgram& program, const std::string& origin, const search::SearchResult& result);

private:
    std::unique_ptr<storage::Session> m_session;
    search::ProgramId m_program;
    std::string m_rules;
    std::optional<rewrite::History> m_history;
};

}  // namespace mitos::cli
