// SPDX-License-Identifier: GPL-3.0-or-later
// What one sees before a program is open: samples with what to try, and what was open lately.
#pragma once

#include "views/jobs/job_runner.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace mitos::views {

class EntryList;

class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(JobRunner& jobs, QWidget* parent = nullptr);
    /// Looks again at what there is.
    void refresh();

Q_SIGNALS:
    void fileChosen(const QString& path);
    void openRequested();
    void newRequested();
    void networkRequested();

protected:
    void changeEvent(QEvent* event) override;

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
