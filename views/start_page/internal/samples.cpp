// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start_page/internal/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QStringList>
#include <algorithm>
#include <tuple>

namespace mitos::views {

namespace {

/// A sample's comment has a title, then two lines with suggestions; later lines about sources and repairs are not shown.
constexpr int ShownLines = 3;
constexpr qint64 LongestLine = 4096;

/// Teaching groups come first, long tables of expressions last, and all other groups in between.
int rank(const QString& group) {
    static const QStringList first = {QStringLiteral("teaching"), QStringLiteral("linear-algebra"),
                                      QStringLiteral("convolution")};
    if (group == QLatin1String("arithmetic")) return static_cast<int>(first.size()) + 1;
    const qsizetype place = first.indexOf(group);
    return static_cast<int>(place < 0 ? first.size() : place);
}

QStringList leadingComment(const QString& path) {
    QFile file(path);
    QStringList lines;
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text)) return lines;
    while (lines.size() < ShownLines && !file.atEnd()) {
        QString line = QString::fromUtf8(file.readLine(LongestLine)).trimmed();
        if (!line.startsWith(QLatin1Char(';'))) break;
        while (line.startsWith(QLatin1Char(';'))) line.remove(0, 1);
        line = line.trimmed();
        if (!line.isEmpty() && !line.startsWith(QLatin1String("SPDX-"))) lines << line;
    }
    return lines;
}

}  // namespace

QString sampleFolder() {
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
        const QStringList comment = leadingComment(sample.path);
        sample.title = comment.value(0);
        sample.about = comment.mid(1).join(QLatin1Char(' ')).remove(QLatin1Char('`'));
        samples << sample;
    }
    std::ranges::sort(samples, [](const Sample& a, const Sample& b) {
        return std::tuple(rank(a.group), a.group, a.name) < std::tuple(rank(b.group), b.group, b.name);
    });
    return samples;
}

QString groupTitle(const Sample& sample) {
    if (sample.group.isEmpty()) return QCoreApplication::translate("mitos::views::StartPage", "Samples");
    QString title = sample.group;
    title.replace(QLatin1Char('-'), QLatin1Char(' ')).replace(QLatin1Char('/'), QStringLiteral(" · "));
    return title.left(1).toUpper() + title.mid(1);
}

}  // namespace mitos::views
