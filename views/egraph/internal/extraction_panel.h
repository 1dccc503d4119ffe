// SPDX-License-Identifier: GPL-3.0-or-later
// Compares two extractions of an e-graph: their methods, costs and differences.
#pragma once

#include "core/extract/problem.h"
#include "views/egraph/egraph_picture.h"
#include "views/job_runner/job_runner.h"

#include <QWidget>
#include <array>
#include <memory>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QTableWidget;
class QToolButton;

namespace mitos::views {

/// Each method runs in its own job with a time limit; when stopped, it returns its best result so far.
class ExtractionPanel : public QWidget {
    Q_OBJECT
public:
    explicit ExtractionPanel(JobRunner& jobs, QWidget* parent = nullptr);
    ~ExtractionPanel() override;

    /// Sets another e-graph, and drops what was extracted from the old one. Null clears the panel.
    void setIndex(std::shared_ptr<const EGraphIndex> index);
    /// The choices of A and B; null where there is none.
    [[nodiscard]] std::array<std::shared_ptr<const NodeChoice>, 2> choices() const;
    /// Classes for which A and B chose different nodes, or that only one of them needs.
    [[nodiscard]] const std::vector<ClassIndex>& differences() const { return m_differences; }
    [[nodiscard]] bool isRunning() const { return m_sides[0].job != 0 || m_sides[1].job != 0; }

    void run();
    void stop();
    void clear();
    void nextDifference();

Q_SIGNALS:
    void changed();  ///< the choices changed
    void differenceChosen(quint32 which);

private:
    struct Side {
        QComboBox* method = nullptr;
        JobId job = 0;
        std::shared_ptr<const NodeChoice> choice;
    };
    struct Answer {
        std::shared_ptr<const NodeChoice> choice;
        extract::Extraction extraction;
        QString error;  ///< empty if it succeeded
    };
    void start(std::size_t side);
    void take(std::size_t side, const Answer& answer);
    void compare();
    void forget();
    void updateControls();

    JobRunner& m_jobs;
    std::shared_ptr<const EGraphIndex> m_index;
    std::array<Side, 2> m_sides;
    std::vector<ClassIndex> m_differences;
    std::size_t m_nextDifference = 0;
    QDoubleSpinBox* m_seconds;
    QToolButton* m_run;
    QToolButton* m_stop;
    QToolButton* m_clear;
    QToolButton* m_next;
    QTableWidget* m_table;
    QLabel* m_summary;
};

}  // namespace mitos::views
