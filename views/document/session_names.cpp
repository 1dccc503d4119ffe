// SPDX-License-Identifier: GPL-3.0-or-later
// See session_names.h.
#include "views/document/session_names.h"

#include <QCoreApplication>

namespace mitos::views {

namespace {

/// The name of a file without an ending that programs have.
QString withoutEnding(const QString& file) {
    for (const char* ending : {".ks", ".onnx", ".onnxtxt", ".txt", ".tasks", ".stg", ".pbtxt", ".json"}) {
        const auto text = QLatin1String(ending);
        if (file.size() > text.size() && file.endsWith(text, Qt::CaseInsensitive)) return file.chopped(text.size());
    }
    return file;
}

}  // namespace

QString programName(const QString& title) {
    const QString between = QStringLiteral(" · ");
    const qsizetype at = title.indexOf(between);
    if (at < 0) return withoutEnding(title);
    const QString file = withoutEnding(title.left(at));
    const QString function = title.mid(at + between.size());
    return file == function ? file : file + between + function;
}

QString momentText(const QDateTime& moment, const QDateTime& now, const QLocale& locale) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("mitos::views::Document", text); };
    const QString time = locale.toString(moment.time(), QStringLiteral("HH:mm"));
    const qint64 days = moment.date().daysTo(now.date());
    if (days == 0) return tr("today %1").arg(time);
    if (days == 1) return tr("yesterday %1").arg(time);
    return tr("%1 %2").arg(locale.toString(moment.date(), QStringLiteral("d MMM yyyy")), time);
}

QString sessionName(const QString& given, const QString& title, const QDateTime& begun) {
    if (!given.isEmpty()) return given;
    const QString name = programName(title);
    if (!begun.isValid()) return name;
    return QCoreApplication::translate("mitos::views::Document", "%1, %2")
        .arg(name, momentText(begun, QDateTime::currentDateTime()));
}

}  // namespace mitos::views
