// SPDX-License-Identifier: GPL-3.0-or-later
// Finding and describing samples.
#include "views/start_page/samples.h"

#include <algorithm>
#include <utility>

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>

namespace mitos::views {

namespace {

constexpr int LongestHead = 40;  // lines

QString leadingComment(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text)) return {};
    QStringList lines;
    for (int i = 0; i < LongestHead && !file.atEnd(); ++i) {
        QString line = QString::fromUtf8(file.readLine(4096)).trimmed();
        if (!line.startsWith(QLatin1Char(';'))) {
            if (line.isEmpty() && lines.isEmpty()) continue;
            break;
        }
        while (line.startsWith(QLatin1Char(';'))) line.remove(0, 1);
        line = line.trimmed();
        if (line.startsWith(QLatin1String("SPDX-"))) continue;
        if (line.isEmpty() && !lines.isEmpty()) break;  // the rest is about repairs and sources
        if (!line.isEmpty()) lines << line;
    }
    return lines.join(QLatin1Char(' '));
}

}  // namespace

QString findSampleFolder() {
    const QString chosen = qEnvironmentVariable("MITOS_SAMPLES");
    if (!chosen.isEmpty()) return QDir(chosen).exists() ? chosen : QString();
    QDir folder(QCoreApplication::applicationDirPath());
    const QString installed = folder.filePath(QStringLiteral("../share/mitos/samples"));
    if (QDir(installed).exists()) return QDir::cleanPath(installed);
    do {
        const QString samples = folder.filePath(QStringLiteral("samples"));
        if (QDir(samples).exists()) return samples;
    } while (folder.cdUp());
    return {};
}

QList<Sample> readSamples(const QString& folder) {
    QList<Sample> samples;
    if (folder.isEmpty()) return samples;
    QDirIterator files(folder, {QStringLiteral("*.ks")}, QDir::Files | QDir::Readable, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QFileInfo file(files.next());
        Sample sample;
        sample.group = QDir(folder).relativeFilePath(file.absolutePath());
        if (sample.group == QLatin1String(".")) sample.group.clear();
        sample.name = file.completeBaseName();
        sample.path = file.absoluteFilePath();
        sample.about = leadingComment(sample.path);
        samples << sample;
    }
    std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
        return std::pair(a.group, a.name) < std::pair(b.group, b.name);
    });
    return samples;
}

}  // namespace mitos::views
