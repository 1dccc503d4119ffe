// SPDX-License-Identifier: GPL-3.0-or-later
// Names of sessions: the program and the time at which the session was begun; and the name of a value that keeps a session.
#pragma once

#include <QDateTime>
#include <QLocale>
#include <QString>

namespace mitos::views {

/// The title of a program without the ending of its file: "gemm" for "gemm.ks" and "gemm.ks · gemm", "library · dot" for
/// "library.ks · dot".
[[nodiscard]] QString programName(const QString& title);
/// A moment relative to now: "today 14:05", "yesterday 09:12", "12 Nov 2026 14:05".
[[nodiscard]] QString momentText(const QDateTime& moment, const QDateTime& now, const QLocale& locale = QLocale());
/// "gemm, today 14:05"; the name that the user gave the session, if it has one.
[[nodiscard]] QString sessionName(const QString& given, const QString& title, const QDateTime& begun);

/// The view value with the times of the program's operations, as they were measured here. A session that has it is kept, although its
/// program has no changes.
[[nodiscard]] inline QString measuredTimesKey() { return QStringLiteral("measured-times"); }

}  // namespace mitos::views
