// SPDX-License-Identifier: GPL-3.0-or-later
// "Compile and check": compiles the exported C++, compares its results with the program's, and measures its time.
#pragma once

#include "views/export_dialog/export_source.h"
#include "views/job_runner/job_runner.h"

#include <QWidget>
#include <memory>

class QFormLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace mitos::views {

class CheckPanel : public QWidget {
    Q_OBJECT
public:
    CheckPanel(std::shared_ptr<ExportSource> source, JobRunner& jobs, QWidget* parent = nullptr);
    ~CheckPanel() override;

private:
    void start();
    void finish(const Result<codegen::CheckReport>& outcome);
    void showReport(const codegen::CheckReport& report);
    void showRunning(bool running);

    std::shared_ptr<ExportSource> m_source;
    JobRunner& m_jobs;
    JobId m_job = 0;
    QPushButton* m_start;
    QPushButton* m_stop;
    QLabel* m_verdict;
    QWidget* m_details;
    QLabel* m_times = nullptr;
    QLabel* m_ratio = nullptr;
    QLabel* m_sizes = nullptr;
    QLabel* m_compiler = nullptr;
    QPlainTextEdit* m_message;
};

}  // namespace mitos::views
