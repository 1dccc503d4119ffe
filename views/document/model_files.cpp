// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/model_files.h"

#include "search/learned/model_value.h"
#include "views/common/format.h"
#include "views/document/document.h"

#include <QFile>
#include <QFileInfo>
#include <QSettings>
#include <QStringList>
#include <algorithm>
#include <vector>

namespace mitos::views {

namespace {

constexpr qsizetype MostFiles = 40;
constexpr QLatin1Char KindEnd(':');

QString modelFilesKey() { return QStringLiteral("models/files"); }

QList<KnownModelFile> rememberedFiles() {
    QList<KnownModelFile> files;
    for (const QString& entry : QSettings().value(modelFilesKey()).toStringList()) {
        const qsizetype end = entry.indexOf(KindEnd);
        if (end >= 0) files << KnownModelFile{entry.mid(end + 1), entry.left(end)};
    }
    return files;
}

void store(const QList<KnownModelFile>& files) {
    QStringList entries;
    for (const KnownModelFile& file : files.first(std::min(files.size(), MostFiles)))
        entries << file.kind + KindEnd + file.path;
    QSettings().setValue(modelFilesKey(), entries);
}

}  // namespace

QList<KnownModelFile> knownModelFiles(const Document& document) {
    QList<KnownModelFile> files;
    const auto add = [&files](const KnownModelFile& file) {
        const bool isNew = std::ranges::find(files, file.path, &KnownModelFile::path) == files.end();
        if (isNew) files << file;
    };
    if (document.isOpen()) {
        const std::vector<Run>& runs = document.runs();
        for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
            if (run->outcomeKind != search::learned::ModelKind) continue;
            if (const auto stored = search::learned::ModelValue::from(run->outcome))
                add({QFile::decodeName(stored->path().c_str()), fromUtf8(stored->modelKind())});
        }
    }
    for (const KnownModelFile& file : rememberedFiles()) {
        if (QFileInfo::exists(file.path)) add(file);
    }
    return files;
}

void rememberModelFile(const KnownModelFile& file) {
    QList<KnownModelFile> files = rememberedFiles();
    files.removeIf([&](const KnownModelFile& one) { return one.path == file.path; });
    files.prepend(file);
    store(files);
}

void forgetModelFile(const QString& path) {
    QList<KnownModelFile> files = rememberedFiles();
    files.removeIf([&](const KnownModelFile& one) { return one.path == path; });
    store(files);
}

}  // namespace mitos::views
