// SPDX-License-Identifier: GPL-3.0-or-later
// A list of things to open: a title and a few words each, under headings.
#pragma once

#include <QListWidget>

namespace mitos::views {

class EntryList : public QListWidget {
    Q_OBJECT
public:
    static constexpr int DetailRole = Qt::UserRole;
    static constexpr int PathRole = Qt::UserRole + 1;
    static constexpr int HeadingRole = Qt::UserRole + 2;

    explicit EntryList(QWidget* parent = nullptr);
    void addHeading(const QString& text);
    QListWidgetItem* addEntry(const QString& title, const QString& detail, const QString& path, bool enabled = true);

Q_SIGNALS:
    void chosen(QListWidgetItem* item);
};

}  // namespace mitos::views
