// SPDX-License-Identifier: GPL-3.0-or-later
// Recently opened files and sessions, kept in the user's settings.
#pragma once

#include <QDateTime>
#include <QList>
#include <QLocale>
#include <QString>

namespace mitos::views {

struct RecentEntry {
    QString path;
    QString title;
    bool session = false;
    bool exists = true;  ///< at the time of listing
};

/// Newest first, at most ten of each kind. Sessions whose file is gone are left out: they contained nothing worth keeping.
[[nodiscard]] QList<RecentEntry> recentEntries();
/// Abbreviates the user's home folder to ~.
[[nodiscard]] QString shortenedPath(const QString& path);
/// How long ago a moment was: "just now", "5 minutes ago", "yesterday", "3 days ago"; its date if that is more than a month.
[[nodiscard]] QString agoText(const QDateTime& moment, const QDateTime& now, const QLocale& locale = QLocale());
void addRecent(const RecentEntry& entry);
void removeRecent(const QString& path);

}  // namespace mitos::views
