// SPDX-License-Identifier: GPL-3.0-or-later
// The page shown before a program is open: samples with suggestions to try, and recently opened files.
#pragma once

#include "views/job_runner/job_runner.h"

#include <QListWidget>

class QLabel;
class QPushButton;

namespace mitos::views {

/// A list of items to open, under headings: each has a title and a short description.
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

class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(JobRunner& jobs, QWidget* parent = nullptr);
    /// Reloads the samples and the recent files and sessions.
    void refresh();

Q_SIGNALS:
    void fileChosen(const QString& path);
    void openRequested();
    void newRequested();
    void networkRequested();

private:
    void fillRecent();
    void updateIcons();

    JobRunner& m_jobs;
    QLabel* m_logo;
    EntryList* m_samples;
    EntryList* m_recent;
    QPushButton* m_open;
    QPushButton* m_new;
    QPushButton* m_network;
};

}  // namespace mitos::views
