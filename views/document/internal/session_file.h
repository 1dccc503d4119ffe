// SPDX-License-Identifier: GPL-3.0-or-later
// The session file of the open program: what is stored of it, and when.
#pragma once

#include "storage/workspace/new_program.h"
#include "storage/workspace/session_writer.h"

#include <QFile>
#include <QObject>
#include <QString>
#include <QTimer>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace mitos::views {

[[nodiscard]] inline std::string nativePath(const QString& path) { return QFile::encodeName(path).toStdString(); }

/// Writes on the writer's thread; nothing here blocks. After an error nothing more is written, and every call below is harmless.
class SessionFile : public QObject {
    Q_OBJECT
public:
    explicit SessionFile(QObject* parent);
    /// Writes the values that wait, and ends.
    ~SessionFile() override;

    /// Ends the session of the program before; one that was made for a program without changes (`isUntouched`) is deleted.
    void end(bool isUntouched);
    /// Goes on with the session that was opened. `isFresh`: it was made for this program, which is still without changes.
    void continueWith(const std::string& path, search::ProgramId program, std::size_t storedStates, bool isFresh);
    /// Begins a session in the folder, with a name made of the time and the title.
    void beginIn(const QString& folder, const QString& title, storage::NewProgram program);
    /// Begins a session in that file, and replaces one that is there.
    void beginAt(const QString& path, storage::NewProgram program);
    /// Copies the session to another file, and goes on there.
    void moveTo(const QString& path);

    /// Empty if nothing is written.
    [[nodiscard]] QString path() const { return m_writer ? m_path : QString(); }
    [[nodiscard]] bool isWriting() const { return m_writer != nullptr; }
    /// Whether the file was made for this program, not chosen by the user.
    [[nodiscard]] bool isFresh() const { return m_isFresh; }
    /// The writer that a search in the background still uses for this session; null if there is none.
    [[nodiscard]] std::shared_ptr<storage::SessionWriter> formerWriter(const QString& path) const;
    /// Goes on with the writer of another file when its session is continued here, as long as its searches hold it.
    void borrow(const SessionFile& other);
    /// For searches, which record their runs over a connection of their own. Null if nothing is written.
    [[nodiscard]] std::shared_ptr<storage::SessionWriter> writer() const { return m_writer; }

    void writeValue(const char* key, const std::string& value);
    /// Writes the states that the file does not hold yet.
    void writeStates(ir::TermBank& bank, const rewrite::History& history);
    void writeMarks(rewrite::StateId state, const rewrite::Marks& marks);
    /// Writes a run, for the first time with its events.
    void writeRun(const search::Run& run);
    void removeRun(const search::Run& run);
    /// Forgets where runs are stored; those of a discarded run may be recorded anew.
    void forgetRun(int number) { m_rows.erase(number); }

    /// Small values of the views, written together a moment after the last change.
    void setViewValues(std::map<std::string, std::string> values) { m_viewValues = std::move(values); }
    void setViewValue(const QString& key, const QString& value);
    [[nodiscard]] QString viewValue(const QString& key) const;

Q_SIGNALS:
    void broke(const mitos::Error& error);

private:
    /// Lets the writer's thread report an error, as long as the file exists.
    struct Relay {
        std::mutex mutex;
        SessionFile* file = nullptr;
    };
    void open(std::optional<search::ProgramId> program);
    void store(storage::NewProgram program);
    void writeViewValues();

    std::shared_ptr<Relay> m_relay = std::make_shared<Relay>();
    std::shared_ptr<storage::SessionWriter> m_writer;  // null if nothing is written
    int m_number = 0;                                  // of the writer
    int m_lastNumber = 0;
    /// Writers of sessions that were left, as long as their searches hold them.
    struct Former {
        std::weak_ptr<storage::SessionWriter> writer;
        int number = 0;
    };
    std::map<QString, Former> m_former;
    QString m_path;
    bool m_isFresh = false;  // made for this program, not chosen by the user
    std::size_t m_writtenStates = 0;
    std::map<std::string, std::string> m_viewValues;
    QTimer m_valueTimer;
    /// Rows of runs, by number; invalid until they are written. Only the writer's tasks access them.
    std::map<int, std::shared_ptr<search::RunId>> m_rows;
};

}  // namespace mitos::views
