// SPDX-License-Identifier: GPL-3.0-or-later
// The list of recent files in QSettings.
#include "views/start_page/recent.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr int LongestList = 10;

QList<RecentEntry> stored() {
    QList<RecentEntry> entries;
    QSettings settings;
    // The stored list may be damaged, so its length is bounded.
    const int count = std::min(settings.beginReadArray(QStringLiteral("recent")), 2 * LongestList);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        RecentEntry entry;
        entry.path = settings.value(QStringLiteral("path")).toString();
        entry.title = settings.value(QStringLiteral("title")).toString();
        entry.session = settings.value(QStringLiteral("session")).toBool();
        if (!entry.path.isEmpty()) entries << entry;
    }
    settings.endArray();
    return entries;
}

void store(const QList<RecentEntry>& entries) {
    QSettings settings;
    settings.remove(QStringLiteral("recent"));
    settings.beginWriteArray(QStringLiteral("recent"));
    for (int i = 0; i < entries.size(); ++i) {
        settings.setArrayIndex(i);
        settings.setValue(QStringLiteral("path"), entries[i].path);
        settings.setValue(QStringLiteral("title"), entries[i].title);
        settings.setValue(QStringLiteral("session"), entries[i].session);
    }
    settings.endArray();
}

}  // namespace

QList<RecentEntry> recentEntries() {
    QList<RecentEntry> shown;
    for (RecentEntry entry : stored()) {
        entry.exists = QFileInfo::exists(entry.path);
        if (entry.exists || !entry.session) shown << entry;
    }
    return shown;
}

QString shortenedPath(const QString& path) {
    const QString home = QDir::homePath();
    if (home.size() > 1 && path.startsWith(home + QLatin1Char('/'))) return QLatin1Char('~') + path.mid(home.size());
    return path;
}

QString agoText(const QDateTime& moment, const QDateTime& now, const QLocale& locale) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("mitos::views::StartPage", text); };
    constexpr qint64 Minute = 60;
    constexpr qint64 Hour = 60 * Minute;
    constexpr qint64 FewHours = 6;
    constexpr qint64 MostDays = 30;
    const qint64 seconds = moment.secsTo(now);
    const qint64 days = moment.date().daysTo(now.date());
    if (seconds < Minute) return tr("just now");
    if (seconds < 2 * Minute) return tr("1 minute ago");
    if (seconds < Hour) return tr("%1 minutes ago").arg(seconds / Minute);
    if (seconds < 2 * Hour) return tr("1 hour ago");
    if (days == 0 || seconds < FewHours * Hour) return tr("%1 hours ago").arg(seconds / Hour);
    if (days == 1) return tr("yesterday");
    if (days <= MostDays) return tr("%1 days ago").arg(days);
    return locale.toString(moment.date(), QLocale::ShortFormat);
}

void addRecent(const RecentEntry& entry) {
    QList<RecentEntry> entries = stored();
    erase_if(entries, [&](const RecentEntry& old) {
        return old.path == entry.path || (old.session && !QFileInfo::exists(old.path));
    });
    entries.prepend(entry);
    int ofThisKind = 0;
    erase_if(entries,
             [&](const RecentEntry& old) { return old.session == entry.session && ++ofThisKind > LongestList; });
    store(entries);
}

void removeRecent(const QString& path) {
    QList<RecentEntry> entries = stored();
    erase_if(entries, [&](const RecentEntry& old) { return old.path == path; });
    store(entries);
}

}  // namespace mitos::views
