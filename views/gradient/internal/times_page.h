// SPDX-License-Identifier: GPL-3.0-or-later
// The ablation of a function: how long it, its derivative, and its coarsened derivatives take, as a chart.
#pragma once

#include "search/experiments/ablation.h"
#include "views/gradient/internal/derivation.h"
#include "views/job_runner/query.h"

#include <QWidget>
#include <optional>

class QLabel;
class QPushButton;
class QSpinBox;
class QStackedWidget;

namespace mitos::views {

class AblationChart;
class ElidedLabel;
class EmptyState;

class TimesPage : public QWidget {
    Q_OBJECT
public:
    explicit TimesPage(JobRunner& jobs, QWidget* parent = nullptr);
    ~TimesPage() override;

    /// The function to measure; nothing: there is none, or it has no derivative. Times of another one are dropped.
    void setOrder(std::optional<DerivationOrder> order);
    void measure();
    void stop();
    /// A measurement goes on in the Jobs view, and the page is free for another program. Returns whether one does.
    bool letGo();
    [[nodiscard]] bool isMeasuring() const { return m_measuring.isRunning(); }

private:
    void drop();
    [[nodiscard]] static JobOutcome outcomeOf(const Result<search::experiments::AblationReport>& report);
    void take(const Result<search::experiments::AblationReport>& report);
    void showState();
    [[nodiscard]] static QString summary(const search::experiments::AblationReport& report);

    JobRunner& m_jobs;
    std::optional<DerivationOrder> m_order;
    Query m_measuring{m_jobs};
    QPushButton* m_measure;
    QPushButton* m_stop;
    QSpinBox* m_size;
    ElidedLabel* m_status;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    AblationChart* m_chart;
    QLabel* m_summary;
};

}  // namespace mitos::views
