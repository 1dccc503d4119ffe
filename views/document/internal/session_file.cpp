// SPDX-License-Identifier: GPL-3.0-or-later
// See session_file.h.
#include "views/document/internal/session_file.h"

#include "storage/workspace/opening.h"
#include "views/common/format.h"

#include <nlohmann/json.hpp>

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <utility>

namespace mitos::views {

using storage::SessionState;

namespace {

constexpr int ValueDelayMs = 300;

QString freshPath(const QString& folder, const QString& title) {
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
    const QString stem = QStringLiteral("%1/%2-%3").arg(folder, stamp, name);
    QString path = stem + QStringLiteral(".mitos");
    for (int n = 2; QFileInfo::exists(path); ++n) path = QStringLiteral("%1-%2.mitos").arg(stem).arg(n);
    return path;
}

}  // namespace

SessionFile::SessionFile(QObject* parent) : QObject(parent) {
    m_relay->file = this;
    m_valueTimer.setInterval(ValueDelayMs);
    m_valueTimer.setSingleShot(true);
    connect(&m_valueTimer, &QTimer::timeout, this, &SessionFile::writeViewValues);
}

SessionFile::~SessionFile() {
    const std::scoped_lock lock(m_relay->mutex);
    m_relay->file = nullptr;
}

void SessionFile::end(bool isUntouched) {
    m_valueTimer.stop();
    if (!m_viewValues.empty()) writeViewValues();
    if (m_writer && m_isFresh && isUntouched) m_writer->removeAtEnd();
    std::erase_if(m_former, [](const auto& former) { return former.second.writer.expired(); });
    if (m_writer) m_former[m_path] = {m_writer, m_number};
    m_writer.reset();
    m_rows.clear();
    m_viewValues.clear();
}

std::shared_ptr<storage::SessionWriter> SessionFile::formerWriter(const QString& path) const {
    const auto former = m_former.find(path);
    return former == m_former.end() ? nullptr : former->second.writer.lock();
}

void SessionFile::borrow(const SessionFile& other) {
    if (other.m_writer) m_former[other.m_path] = {other.m_writer, ++m_lastNumber};
}

void SessionFile::continueWith(const std::string& path, search::ProgramId program, std::size_t storedStates,
                               bool isFresh) {
    m_isFresh = isFresh;
    m_path = QFile::decodeName(QByteArray::fromStdString(path));
    m_writtenStates = storedStates;
    // A search in the background still uses the session, and a second writer could not claim the history.
    m_writer = formerWriter(m_path);
    if (m_writer)
        m_number = m_former.at(m_path).number;
    else
        open(program);
}

void SessionFile::beginIn(const QString& folder, const QString& title, storage::NewProgram program) {
    QDir().mkpath(folder);
    m_isFresh = true;
    m_path = freshPath(folder, title);
    open(std::nullopt);
    store(std::move(program));
}

void SessionFile::beginAt(const QString& path, storage::NewProgram program) {
    storage::removeSession(nativePath(path));  // the user agreed to replace it
    m_isFresh = false;
    m_path = path;
    open(std::nullopt);
    store(std::move(program));
}

void SessionFile::moveTo(const QString& path) {
    m_isFresh = false;
    m_writer->moveTo(nativePath(path));
    m_path = path;
}

void SessionFile::open(std::optional<search::ProgramId> program) {
    m_number = ++m_lastNumber;
    m_writer = std::make_shared<storage::SessionWriter>(
        nativePath(m_path), program, [relay = m_relay, number = m_number](const Error& error) {
            const std::scoped_lock lock(relay->mutex);
            SessionFile* const file = relay->file;
            if (file == nullptr) return;
            const auto report = [file, number, error] {
                if (number != file->m_number) return;  // of a program that is no longer open
                file->m_writer.reset();
                Q_EMIT file->broke(error);
            };
            QMetaObject::invokeMethod(file, report, Qt::QueuedConnection);
        });
}

void SessionFile::store(storage::NewProgram program) {
    m_writtenStates = program.states.size();
    m_rows.clear();
    m_writer->post([program = std::move(program)](SessionState& state) -> Status {
        MITOS_TRY(state.program, storage::storeProgram(state.session, program));
        return Success{};
    });
    m_valueTimer.start();
}

void SessionFile::writeValue(const char* key, const std::string& value) {
    if (!m_writer) return;
    m_writer->post([key = std::string(key), value](SessionState& state) { return state.session.setValue(key, value); });
}

void SessionFile::writeStates(ir::TermBank& bank, const rewrite::History& history) {
    auto states = storage::storedStates(bank, history, std::exchange(m_writtenStates, history.size()));
    if (states.empty() || !m_writer) return;
    m_writer->post(
        [states = std::move(states)](SessionState& state) { return state.session.addStates(*state.program, states); });
}

void SessionFile::writeMarks(rewrite::StateId state, const rewrite::Marks& marks) {
    if (!m_writer) return;
    m_writer->post([id = state.value, marks](SessionState& session) {
        return session.session.markState(*session.program, id, marks);
    });
}

void SessionFile::writeRun(const search::Run& run) {
    if (!m_writer) return;
    std::shared_ptr<search::RunId>& row = m_rows[run.number];
    if (!row) row = std::make_shared<search::RunId>(run.id);
    m_writer->post([row, stored = run](SessionState& state) mutable -> Status {
        stored.program = *state.program;
        if (!row->isValid()) {
            MITOS_TRY(*row, state.session.beginRun(stored));
            MITOS_REQUIRE(state.session.appendEvents(*row, stored.events));
        }
        stored.id = *row;
        return state.session.finishRun(stored);
    });
}

void SessionFile::removeRun(const search::Run& run) {
    if (!m_writer) return;
    const auto known = m_rows.find(run.number);
    const auto row = known != m_rows.end() ? known->second : std::make_shared<search::RunId>(run.id);
    m_writer->post([row](SessionState& state) -> Status {
        return row->isValid() ? state.session.removeRun(*row) : Status(Success{});
    });
}

void SessionFile::setViewValue(const QString& key, const QString& value) {
    std::string& kept = m_viewValues[key.toStdString()];
    if (kept == value.toStdString()) return;
    kept = value.toStdString();
    if (m_writer) m_valueTimer.start();
}

QString SessionFile::viewValue(const QString& key) const {
    const auto found = m_viewValues.find(key.toStdString());
    return found == m_viewValues.end() ? QString() : fromUtf8(found->second);
}

void SessionFile::writeViewValues() { writeValue(storage::ViewValuesKey, nlohmann::json(m_viewValues).dump()); }

}  // namespace mitos::views
