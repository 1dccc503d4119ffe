// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/samples.h"

#include "storage/session_summary.h"
#include "views/common/format.h"

#include <QCoreApplication>
#include <QDateTime>
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
    static const QStringList first = {QStringLiteral("teaching"), QStringLiteral("sessions"),
                                      QStringLiteral("linear-algebra"), QStringLiteral("convolution")};
    if (group == QLatin1String("arithmetic")) return static_cast<int>(first.size()) + 1;
    const qsizetype place = first.indexOf(group);
    return static_cast<int>(place < 0 ? first.size() : place);
}

/// The beginning of a program's text.
struct Beginning {
    QStringList comment;  ///< the lines that are shown
    QString first;        ///< the first line that is no comment; empty if the comment fills the file
};

Beginning beginningOf(const QString& path) {
    QFile file(path);
    Beginning beginning;
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text)) return beginning;
    const QLatin1Char sign(isListing(path) || isTaskGraph(path) ? '#' : ';');
    while (!file.atEnd()) {
        QString line = QString::fromUtf8(file.readLine(LongestLine)).trimmed();
        if (!line.startsWith(sign)) {
            if (line.isEmpty()) continue;
            beginning.first = line;
            break;
        }
        while (line.startsWith(sign)) line.remove(0, 1);
        line = line.trimmed();
        const bool isShown = !line.isEmpty() && !line.startsWith(QLatin1String("SPDX-"));
        if (isShown && beginning.comment.size() < ShownLines) beginning.comment << line;
    }
    return beginning;
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

namespace {

/// Fills the title and the description of a session from its summary.
void describeSession(Sample& sample) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("mitos::views::StartPage", text); };
    const Result<storage::SessionSummary> summary = storage::summaryOf(QFile::encodeName(sample.path).toStdString());
    if (!summary) {
        sample.title = fromUtf8(summary.error().message);
        return;
    }
    sample.title = tr("%1 finished searches of %2").arg(summary->runs).arg(fromUtf8(summary->title));
    sample.about =
        tr("Try: open the perspective Compare, choose a baseline, and see which rules made the difference. A copy "
           "is opened; the sample stays as it is.");
}

}  // namespace

QList<Sample> readSamples(const QString& folder) {
    QList<Sample> samples;
    if (folder.isEmpty()) return samples;
    QDirIterator files(folder,
                       {QStringLiteral("*.ks"), QStringLiteral("*.txt"), QStringLiteral("*.mitos"),
                        QStringLiteral("*.tasks"), QStringLiteral("*.stg")},
                       QDir::Files | QDir::Readable, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QFileInfo file(files.next());
        Sample sample;
        sample.group = QDir(folder).relativeFilePath(file.absolutePath());
        if (sample.group == QLatin1String(".")) sample.group.clear();
        sample.name = file.completeBaseName();
        sample.path = file.absoluteFilePath();
        if (isSession(sample.path)) {
            describeSession(sample);
        } else {
            const Beginning beginning = beginningOf(sample.path);
            if (isListing(sample.path) && !beginning.first.startsWith(QLatin1String("graph "))) continue;
            sample.title = beginning.comment.value(0);
            sample.about = beginning.comment.mid(1).join(QLatin1Char(' ')).remove(QLatin1Char('`'));
        }
        samples << sample;
    }
    std::ranges::sort(samples, [](const Sample& a, const Sample& b) {
        return std::tuple(rank(a.group), a.group, a.name) < std::tuple(rank(b.group), b.group, b.name);
    });
    return samples;
}

bool isSession(const QString& path) { return path.endsWith(QLatin1String(".mitos")); }

bool isListing(const QString& path) { return path.endsWith(QLatin1String(".txt")); }

bool isTaskGraph(const QString& path) {
    return path.endsWith(QLatin1String(".tasks")) || path.endsWith(QLatin1String(".stg"));
}

Result<QString> copyOfSession(const QString& path, const QString& folder) {
    const QFileInfo file(path);
    const QString copy = QStringLiteral("%1/%2 %3.mitos")
                             .arg(folder, file.completeBaseName(),
                                  QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd hh-mm-ss-zzz")));
    QFile source(path);
    if (!QDir().mkpath(folder) || !source.copy(copy)) {
        return Error{
            ErrorCode::Io,
            QStringLiteral("%1 could not be copied to %2: %3").arg(path, folder, source.errorString()).toStdString()};
    }
    QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);  // the sample may be read-only
    return copy;
}

QString groupTitle(const Sample& sample) {
    if (sample.group.isEmpty()) return QCoreApplication::translate("mitos::views::StartPage", "Samples");
    QString title = sample.group;
    title.replace(QLatin1Char('-'), QLatin1Char(' ')).replace(QLatin1Char('/'), QStringLiteral(" · "));
    return title.left(1).toUpper() + title.mid(1);
}

}  // namespace mitos::views
