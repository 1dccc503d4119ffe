// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the session file up to date, and restores data that it does not hold.
#include "storage/session_summary.h"
#include "views/common/format.h"
#include "views/document/choices.h"
#include "views/document/internal/document_private.h"
#include "views/document/session_names.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <utility>

namespace mitos::views {

QString Document::sessionPath() const { return m_private->session.path(); }

QString Document::sessionName() const { return views::sessionName(fromUtf8(m_labels.name), m_title, m_begunAt); }

void Document::setLabels(const storage::SessionLabels& labels) {
    if (!isOpen() || labels == m_labels) return;
    m_labels = labels;
    m_private->session.writeValue(storage::LabelsKey, storage::toJson(labels));
    Q_EMIT labelsChanged();
}

void Document::endSession(bool isLeft) {
    SessionFile& session = m_private->session;
    const bool isUntouched = m_history && m_history->size() == 1 && runs().empty() &&
                             m_labels == storage::SessionLabels() && viewValue(measuredTimesKey()).isEmpty();
    const QString path = session.path();
    const bool isComparing = comparison().isRunning();
    m_private->further.leave();
    if (isLeft && isComparing)
        Q_EMIT notice(tr("The comparison of searches was stopped. The searches that had begun keep their results."));
    if (isLeft && path.isEmpty() && runningSearches() > 0)
        Q_EMIT notice(tr("The search was stopped, and its result is lost, because the session is not being saved."));
    m_private->comparing = {};
    m_private->searches.leave(path, isLeft ? Searches::Leaving::Continue : Searches::Leaving::Stop);
    // A program that was opened but not changed leaves no session behind; but the user may come back to it.
    if (isLeft && isUntouched && session.isFresh() && !path.isEmpty()) m_private->untouched.insert(path);
    session.end(isUntouched && !isLeft);
}

void Document::deleteUntouched(const QString& session) {
    const std::string path = nativePath(session);
    // Another window, or the list of sessions, may have changed it meanwhile.
    const auto summary = storage::summaryOf(path);
    if (summary && summary->states == 1 && summary->runs == 0 && !summary->isInUse &&
        summary->labels == storage::SessionLabels()) {
        storage::removeSession(path);
    }
}

int Document::searchesInBackground(const QString& session) const { return m_private->searches.inBackground(session); }

void Document::forget(const QString& session) {
    m_private->searches.stopInBackground(session);
    if (m_private->untouched.erase(session) == 0) return;
    auto done = std::make_shared<std::promise<void>>();
    m_private->deletions[session] = done->get_future().share();
    m_jobs.start(
        tr("Deleting a session without changes"), false, this,
        [session, done](const std::stop_token&, const JobRunner::Report&) {
            deleteUntouched(session);  // also after a request to stop: the runner waits for its jobs
            done->set_value();
            return true;
        },
        [this, session](bool) { m_private->deletions.erase(session); });
}

void Document::keep(const QString& session) { m_private->untouched.erase(session); }

void Document::reportBackground(const QString& session, JobId job, const SearchOutcome& outcome) {
    QString error;
    if (outcome.error) error = fromUtf8(outcome.error->render());
    if (outcome.recordError) error = fromUtf8(outcome.recordError->render());
    if (outcome.result && !outcome.result->check.valid)
        error = tr("The checker refused its thread: %1").arg(fromUtf8(outcome.result->check.reason));
    if (outcome.result && error.isEmpty()) {
        const bool isStopped = outcome.result->reason == search::StopReason::Stopped;
        m_jobs.setOutcome(
            job, isStopped ? JobInfo::State::Stopped : JobInfo::State::Finished,
            tr("%1; best %2")
                .arg(stopText(fromUtf8(search::toString(outcome.result->reason))), costText(outcome.result->bestCost)));
    } else {
        m_jobs.setOutcome(job, JobInfo::State::Failed, error.section(QLatin1Char('\n'), 0, 0));
    }
    Q_EMIT endedInBackground(session, outcome.run, error);
}

void Document::startSession(const Opened& opened) {
    SessionFile& session = m_private->session;
    session.setViewValues(opened.viewValues);
    if (opened.sessionPath.empty()) {
        session.beginIn(sessionFolder(), m_title, programToStore());
        writeAllRuns();
        return;
    }
    const QString path = QFile::decodeName(QByteArray::fromStdString(opened.sessionPath));
    session.continueWith(opened.sessionPath, *opened.program, opened.storedStates,
                         m_private->untouched.erase(path) > 0);
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
                                .current = m_history->current().value,
                                .labels = m_labels};
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

void Document::rememberCompared() {
    const QStringList sessions = m_private->further.sessions();
    setViewValue(QString::fromLatin1(storage::ComparedSessionsKey),
                 QString::fromUtf8(QJsonDocument(QJsonArray::fromStringList(sessions)).toJson(QJsonDocument::Compact)));
}

void Document::recallCompared() {
    const QString stored = viewValue(QString::fromLatin1(storage::ComparedSessionsKey));
    const QVariantList values = QJsonDocument::fromJson(stored.toUtf8()).array().toVariantList();
    QStringList sessions;
    for (const QVariant& session : values) sessions << session.toString();
    sessions.removeAll(QString());
    m_private->further.restore(sessions, comparedSettings());
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
