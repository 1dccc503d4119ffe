// SPDX-License-Identifier: GPL-3.0-or-later
// See run_recorder.h.
#include "storage/workspace/run_recorder.h"

#include <utility>

namespace mitos::storage {

RunRecorder::RunRecorder(Session session, RunId id, search::Observer* next)
    : m_session(std::move(session)),
      m_id(id),
      m_writer(m_session, id, next) {}

Result<std::unique_ptr<RunRecorder>> RunRecorder::begin(const std::string& path, const Run& run,
                                                        search::Observer* next) {
    MITOS_TRY(Session session, Session::open(path));
    MITOS_TRY(const RunId id, session.beginRun(run));
    return std::unique_ptr<RunRecorder>(new RunRecorder(std::move(session), id, next));
}

Status RunRecorder::finish(Run run) {
    run.id = m_id;
    return m_session.finishRun(run);
}

Status RunRecorder::remove() { return m_session.removeRun(m_id); }

search::BeginLog recordingIn(std::string path, search::ProgramId program) {
    return
        [path = std::move(path), program](Run run, search::Observer* next) -> Result<std::unique_ptr<search::RunLog>> {
            run.program = program;
            MITOS_TRY(std::unique_ptr<search::RunLog> record, RunRecorder::begin(path, run, next));
            return record;
        };
}

}  // namespace mitos::storage
