// SPDX-License-Identifier: GPL-3.0-or-later
// The page shown before a program is open: samples with suggestions to try, and recently opened files.
#pragma once

#include "views/job_runner/job_runner.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace mitos::views {

class EntryList;

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
