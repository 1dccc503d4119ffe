// SPDX-License-Identifier: GPL-3.0-or-later
// A search recorded in a session: what was asked, its events while it runs, its result. Both programs record their runs so.
#pragma once

#include "search/judged_run.h"
#include "storage/session.h"

#include <memory>
#include <string>

namespace mitos::storage {

/// The row of a run and its events, over a connection of its own. Used by the thread that searches.
class RunRecorder final : public search::RunLog {
public:
    /// Opens the session and begins the run. Events are also forwarded to `next`, which may be null. Fails as Session does.
    [[nodiscard]] static Result<std::unique_ptr<RunRecorder>> begin(const std::string& path, const Run& run,
                                                                    search::Observer* next);

    [[nodiscard]] RunId id() const override { return m_id; }
    [[nodiscard]] search::Observer& observer() override { return m_writer; }
    [[nodiscard]] Status flush() override { return m_writer.flush(); }  ///< see RunWriter::flush()
    [[nodiscard]] Status finish(Run run) override;
    /// Removes the run.
    [[nodiscard]] Status remove();

private:
    RunRecorder(Session session, RunId id, search::Observer* next);

    Session m_session;
    RunId m_id;
    RunWriter m_writer;
};

/// Records runs of a program of the session.
[[nodiscard]] search::BeginLog recordingIn(std::string path, search::ProgramId program);

}  // namespace mitos::storage
