// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the built mitos-cli and gives what it printed.
#pragma once

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace mitos::tests {

struct CliResult {
    int status = -1;  ///< -2: crashed or did not end in time
    QByteArray output;
    QByteArray errors;

    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(output).object(); }
};

inline QString sample(const QString& path) { return QStringLiteral(MITOS_SOURCE_DIR "/samples/") + path; }

inline CliResult runCli(const QStringList& arguments, const QByteArray& input = {}, int milliseconds = 120'000) {
    QProcess process;
    process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"), arguments);
    process.write(input);
    process.closeWriteChannel();
    const bool ended = process.waitForFinished(milliseconds) && process.exitStatus() == QProcess::NormalExit;
    if (!ended) process.kill();
    return {ended ? process.exitCode() : -2, process.readAllStandardOutput(), process.readAllStandardError()};
}

}  // namespace mitos::tests
