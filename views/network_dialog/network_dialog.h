// SPDX-License-Identifier: GPL-3.0-or-later
// A dialog for choosing one of the networks that Mitos can build.
#pragma once

#include "views/job_runner/query.h"

#include <QDialog>
#include <cstddef>
#include <stop_token>
#include <vector>

class QLabel;
class QRadioButton;
class QTableWidget;

namespace mitos::views {

struct NetworkSize {
    std::size_t paper = 0;  ///< operators of the graph as in the papers, without constants and weights
    std::size_t realistic = 0;
};

/// Sizes of all networks, in their order; fewer if it is stopped. Builds each network, so call it off the GUI thread.
[[nodiscard]] std::vector<NetworkSize> networkSizes(const std::stop_token& stop);

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

    Query m_counting;                  ///< the operators of each network
    std::vector<NetworkSize> m_sizes;  ///< empty until computed
    QTableWidget* m_table;
    QRadioButton* m_paper;
    QRadioButton* m_realistic;
    QLabel* m_about;
};

}  // namespace mitos::views
