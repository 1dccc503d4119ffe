// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of the status bar: the state of the session, and the running job with a Stop button.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace mitos::views {

class StatusStrip : public QWidget {
    Q_OBJECT
public:
    StatusStrip(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);

private:
    void showSession();
    void showJob();
    void updateIcons();

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    JobId m_shownJob = 0;
    QLabel* m_session;
    QLabel* m_job;
    QToolButton* m_stop;
};

}  // namespace mitos::views
