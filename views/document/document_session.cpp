// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the session file up to date, and restores data that it does not hold.
#include "storage/workspace/new_program.h"
#include "views/common/format.h"
#include "views/document/internal/document_private.h"

#include <nlohmann/json.hpp>

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <utility>

namespace mitos::views {

namespace {

QString freshSessionPath(const QString& title) {
    QString name;
    for (const QChar c : title) {
        if (c.isLetterOrNumber() && c.unicode() < 128)
            name += c.toLower();
        else if (!name.isEmpty() && !name.endsWith(QLatin1Char('-')))
            name += QLatin1Char('-');
    }
    name.truncate(40);
    while (name.endsWith(QLatin1Char('-'))) name.chop(1);
    const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    const QString stem = QStringLiteral("%1/%2-%3").arg(Document::sessionFolder(), stamp, name);
    QString path = stem + QStringLiteral(".mitos");
    for (int n = 2; QFileInfo::exists(path); ++n) path = QStringLiteral("%1-%2.mitos").arg(stem).arg(n);
    return path;
}

}  // namespace

QString Document::sessionPath() const { return m_private->writer ? m_private->sessionPath : QString(); }

void Document::startSession(const Opened& opened) {
    const bool restored = !opened.sessionPath.empty();
    m_private->freshSession = !restored;
    m_private->writer.reset();
    if (restored) {
        m_private->sessionPath = QFile::decodeName(QByteArray::fromStdString(opened.sessionPath));
    } else {
        QDir().mkpath(sessionFolder());
        m_private->sessionPath = freshSessionPath(m_title);
    }
    openWriter(opened.program);
    if (!restored) {
        persistEverything();
        return;
    }
    m_private->writtenStates = opened.storedStates;
    writeNewStates();
    for (const Run& run : m_runs) {
        if (run.recovered) storeRun(run);
    }
}

void Document::openWriter(std::optional<storage::ProgramId> program) {
    m_private->writer = std::make_shared<SessionWriter>(
        nativePath(m_private->sessionPath), program,
        [relay = m_private->relay, number = ++m_private->writerNumber](const Error& error) {
            const std::scoped_lock lock(relay->mutex);
            if (Document* document = relay->document; document != nullptr) {
                QMetaObject::invokeMethod(
                    document, [document, number, error] { document->sessionBroke(number, error); },
                    Qt::QueuedConnection);
            }
        });
}

void Document::persistEverything() {
    storage::NewProgram program{.title = m_title.toStdString(),
                                .source = m_source.toStdString(),
                                .text = m_private->storedText,
                                .rules = m_rules->names(),
                                .assumptions = m_rules->assumptions(),
                                .costModel = m_private->costModelName.toStdString(),
                                .states = storage::storedStates(*m_bank, *m_history, 0),
                                .current = m_history->current().value};
    if (m_model) program.model = toStored(*m_model);
    m_private->writer->post([program = std::move(program)](SessionState& state) -> Status {
        MITOS_TRY(state.program, storage::storeProgram(state.session, program));
        return Success{};
    });
    m_private->writtenStates = m_history->size();
    m_private->rows.clear();
    for (Run& run : m_runs) {
        run.id = {};
        if (run.job == 0) storeRun(run);
    }
    m_private->valueTimer.start();
}

void Document::sessionBroke(int writer, const Error& error) {
    if (writer != m_private->writerNumber) return;  // of a program that is no longer open
    m_private->writer.reset();
    Q_EMIT failed(tr("The session is no longer being saved"),
                  fromUtf8(error.render()) + QLatin1Char('\n') +
                      tr("You can go on working. File ▸ Save Session As… keeps everything in another place."));
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
    m_private->freshSession = false;
    if (m_private->writer) {
        m_private->writer->moveTo(nativePath(path));
        m_private->sessionPath = path;
    } else {
        storage::removeSession(nativePath(path));  // the user agreed to replace it
        m_private->sessionPath = path;
        openWriter(std::nullopt);
        persistEverything();
    }
    Q_EMIT notice(tr("The session is now kept in %1.").arg(QDir::toNativeSeparators(path)));
}

void Document::writeValue(const char* key, const std::string& value) {
    if (!m_private->writer) return;
    m_private->writer->post(
        [key = std::string(key), value](SessionState& state) { return state.session.setValue(key, value); });
}

void Document::writeRules() {
    writeValue(storage::RulesKey, m_rules->names());
    writeValue(storage::AssumptionsKey, storage::toText(m_rules->assumptions()));
}

void Document::writeViewValues() { writeValue(storage::ViewValuesKey, nlohmann::json(m_private->viewValues).dump()); }

void Document::setViewValue(const QString& key, const QString& value) {
    std::string& kept = m_private->viewValues[key.toStdString()];
    if (kept == value.toStdString()) return;
    kept = value.toStdString();
    if (m_private->writer) m_private->valueTimer.start();
}

QString Document::viewValue(const QString& key) const {
    const auto found = m_private->viewValues.find(key.toStdString());
    return found == m_private->viewValues.end() ? QString() : fromUtf8(found->second);
}

void Document::writeNewStates() {
    auto states =
        storage::storedStates(*m_bank, *m_history, std::exchange(m_private->writtenStates, m_history->size()));
    if (states.empty() || !m_private->writer) return;
    m_private->writer->post(
        [states = std::move(states)](SessionState& state) { return state.session.addStates(*state.program, states); });
}

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
            writeValue(storage::ModelKey, storage::toJson(toStored(*m_model)));
            Q_EMIT modelChanged();
            Q_EMIT notice(tr("The weights are those of %1 again.").arg(name));
        });
}

}  // namespace mitos::views
