// SPDX-License-Identifier: GPL-3.0-or-later
// A dialog for choosing one of the networks that Mitos can build.
#pragma once

#include "views/jobs/job_runner.h"
#include "views/network_dialog/network_sizes.h"

#include <QDialog>

class QLabel;
class QRadioButton;
class QTableWidget;

namespace mitos::views {

class NetworkDialog : public QDialog {
    Q_OBJECT
public:
    explicit NetworkDialog(JobRunner& jobs, QWidget* parent = nullptr);
    ~NetworkDialog() override;

    /// Arguments for Document::openNetwork.
    [[nodiscard]] QString network() const;
    [[nodiscard]] bool isRealistic() const;

private:
    void build();
    void fill();
    void showSizes();
    void showChosen();

    JobRunner& m_jobs;
    JobId m_job = 0;
    std::vector<NetworkSize> m_sizes;  ///< empty until computed
    QTableWidget* m_table;
    QRadioButton* m_paper;
    QRadioButton* m_realistic;
    QLabel* m_about;
};

}  // namespace mitos::views
