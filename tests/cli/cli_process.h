// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the built mitos-cli and returns its output.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <csignal>
#include <memory>

namespace mitos::tests {

struct CliResult {
    int status = -1;  ///< -2: crashed or did not end in time
    QByteArray output;
    QByteArray errors;

    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(output).object(); }
};

inline QString sample(const QString& path) { return QStringLiteral(MITOS_SOURCE_DIR "/samples/") + path; }

inline CliResult runProgram(const QString& program, const QStringList& arguments, const QByteArray& input = {},
                            int milliseconds = 120'000) {
    QProcess process;
    process.start(program, arguments);
    process.write(input);
    process.closeWriteChannel();
    const bool ended = process.waitForFinished(milliseconds) && process.exitStatus() == QProcess::NormalExit;
    if (!ended) process.kill();
    return {ended ? process.exitCode() : -2, process.readAllStandardOutput(), process.readAllStandardError()};
}

inline CliResult runCli(const QStringList& arguments, const QByteArray& input = {}, int milliseconds = 120'000) {
    return runProgram(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"), arguments, input, milliseconds);
}

/// Whether the process blocks or catches SIGINT by now: from then on an interrupt stops what it does, and not the process.
inline bool heedsInterrupts(qint64 process) {
    QFile file(QStringLiteral("/proc/%1/status").arg(process));
    if (!file.open(QIODevice::ReadOnly)) return false;
    quint64 signalSet = 0;
    for (const QByteArray& line : file.readAll().split('\n')) {
        const bool isTold = line.startsWith("SigBlk:") || line.startsWith("SigCgt:");
        if (isTold) signalSet |= line.mid(line.indexOf(':') + 1).trimmed().toULongLong(nullptr, 16);
    }
    return (signalSet & (quint64{1} << (SIGINT - 1))) != 0;
}

/// A folder for the files of a test class.
class CliFolder {
protected:
    void newFolder() { m_folder = std::make_unique<QTemporaryDir>(); }
    [[nodiscard]] QString folder() const { return m_folder->path(); }
    [[nodiscard]] QString path(const QString& name) const { return m_folder->filePath(name); }
    /// The file's path; empty if it cannot be written.
    QString write(const QString& name, const QByteArray& content) const {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) return {};
        return file.fileName();
    }
    [[nodiscard]] static QByteArray read(const QString& name) {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder = std::make_unique<QTemporaryDir>();
};

}  // namespace mitos::tests
