// SPDX-License-Identifier: GPL-3.0-or-later
// Files and sessions opened lately, kept in the user's settings.
#pragma once

#include <QList>
#include <QString>

namespace mitos::views {

struct RecentEntry {
    QString path;
    QString title;
    bool session = false;
    bool exists = true;  ///< when it was listed
};

/// Newest first, at most ten of each kind. Sessions whose file is gone are left out: they held nothing worth keeping.
[[nodiscard]] QList<RecentEntry> recentEntries();
/// With ~ for the user's home.
[[nodiscard]] QString shortenedPath(const QString& path);
void addRecent(const RecentEntry& entry);
void removeRecent(const QString& path);

}  // namespace mitos::views
