// SPDX-License-Identifier: GPL-3.0-or-later
// A list of items to open, under headings: each has a title and a short description.
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
