// SPDX-License-Identifier: GPL-3.0-or-later
// A search recorded in a session: what was asked, its events while it runs, its result. Both programs record their runs so.
#pragma once

#include "storage/session.h"

#include <memory>
#include <string>

namespace mitos::storage {

/// The row of a run and its events, over a connection of its own. Used by the thread that searches.
class RunRecorder {
public:
    /// Opens the session and begins the run. Events are also forwarded to `next`, which may be null. Fails as Session does.
    [[nodiscard]] static Result<std::unique_ptr<RunRecorder>> begin(const std::string& path, const Run& run,
                                                                    search::Observer* next);

    [[nodiscard]] search::Observer& observer() { return m_writer; }
    [[nodiscard]] RunId id() const { return m_id; }
    /// Writes the pending events. See RunWriter::flush().
    [[nodiscard]] Status flush() { return m_writer.flush(); }
    /// Stores a run with its result.
    [[nodiscard]] Status finish(Run run);
    /// Removes a run that has no result.
    [[nodiscard]] Status remove();

private:
    RunRecorder(Session session, RunId id, search::Observer* next);

    Session m_session;
    RunId m_id;
    RunWriter m_writer;
};

}  // namespace mitos::storage
