// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the session file up to date, and restores data that it does not hold.
#include "views/common/format.h"
#include "views/document/internal/document_private.h"

#include <QDir>
#include <QFileInfo>
#include <utility>

namespace mitos::views {

QString Document::sessionPath() const { return m_private->session.path(); }

void Document::endSession() {
    // A program that was opened but not changed leaves no session behind.
    const bool isUntouched = m_history && m_history->size() == 1 && runs().empty();
    m_private->comparing = {};
    m_private->searches.replace({});
    m_private->session.end(isUntouched);
}

void Document::startSession(const Opened& opened) {
    SessionFile& session = m_private->session;
    session.setViewValues(opened.viewValues);
    if (opened.sessionPath.empty()) {
        session.beginIn(sessionFolder(), m_title, programToStore());
        writeAllRuns();
        return;
    }
    session.continueWith(opened.sessionPath, *opened.program, opened.storedStates);
    session.writeStates(*m_bank, *m_history);
    for (const Run& run : runs()) {
        if (run.recovered) session.writeRun(run);
    }
}

storage::NewProgram Document::programToStore() {
    storage::NewProgram program{.title = m_title.toStdString(),
                                .source = m_source.toStdString(),
                                .text = m_private->storedText,
                                .rules = m_rules->names(),
                                .assumptions = m_rules->assumptions(),
                                .costModel = m_private->costModelName.toStdString(),
                                .states = storage::storedStates(*m_bank, *m_history, 0),
                                .current = m_history->current().value};
    if (m_model) program.model = toStored(*m_model);
    return program;
}

void Document::writeAllRuns() {
    for (Run& run : m_private->searches.runs()) {
        run.id = {};
        if (run.job == 0) m_private->session.writeRun(run);
    }
}

void Document::saveSessionAs(const QString& path) {
    if (!isOpen()) return;
    if (QFileInfo(path).absoluteFilePath() == QFileInfo(sessionPath()).absoluteFilePath() && !sessionPath().isEmpty()) {
        return;  // the file already has every change
    }
    if (runningSearches() > 0) {
        Q_EMIT failed(tr("A search is writing to the session"), tr("Stop the search, then save the session."));
        return;
    }
    if (m_private->session.isWriting()) {
        m_private->session.moveTo(path);
    } else {
        m_private->session.beginAt(path, programToStore());
        writeAllRuns();
    }
    Q_EMIT notice(tr("The session is now kept in %1.").arg(QDir::toNativeSeparators(path)));
}

void Document::writeRules() {
    m_private->session.writeValue(storage::RulesKey, m_rules->names());
    m_private->session.writeValue(storage::AssumptionsKey, storage::toText(m_rules->assumptions()));
}

void Document::setViewValue(const QString& key, const QString& value) { m_private->session.setViewValue(key, value); }

QString Document::viewValue(const QString& key) const { return m_private->session.viewValue(key); }

bool Document::isModelMissing() const {
    return m_model && m_model->isSampled && m_model->source.kind == storage::ModelSource::Kind::File;
}

void Document::findModel(const QString& path) {
    if (!isModelMissing()) return;
    const QString name = QFileInfo(path).fileName();
    const ir::Program start = m_history->program(m_history->start());
    m_jobs.start(
        tr("Reading %1").arg(name), true, m_private->program.get(),
        [start = snapshot(start), open = m_model, file = nativePath(QFileInfo(path).absoluteFilePath())](
            const std::stop_token&, const JobRunner::Report&) {
            return findMovedModel(*start.bank, start.program, *open, file);
        },
        [this, name, start](Result<OpenModel> found) {
            if (!found) {
                Q_EMIT failed(tr("%1 is not the model of this session").arg(name), fromUtf8(found.error().render()));
                return;
            }
            found->model.program = start;
            m_model = std::make_shared<const OpenModel>(*std::move(found));
            m_private->session.writeValue(storage::ModelKey, storage::toJson(toStored(*m_model)));
            Q_EMIT modelChanged();
            Q_EMIT notice(tr("The weights are those of %1 again.").arg(name));
        });
}

}  // namespace mitos::views
