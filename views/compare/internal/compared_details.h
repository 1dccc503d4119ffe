// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown beside the curves of a comparison, in tabs: cost against time or a second cost, gains of rules, steps of two results.
#pragma once

#include "views/compare/internal/compare_charts.h"
#include "views/document/document.h"

#include <QWidget>
#include <map>
#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QStackedWidget;
class QTabBar;
class QTableView;

namespace mitos::views {

class CompareModel;
class RuleGainsModel;
class StepsModel;

/// Only the tab in front is filled.
class ComparedDetails final : public QWidget {
    Q_OBJECT
public:
    ComparedDetails(Document& document, JobRunner& jobs, const CompareModel& model, QWidget* parent);

    /// The strategies that the filter shows.
    void setEntries(std::vector<ChartEntry> entries);
    /// The selected strategy, and its run whose steps are shown; -1 and 0: none.
    void select(int group, RunNumber run);
    /// Drops the costs under the second model, as results or models are others now.
    void forgetCosts();

Q_SIGNALS:
    void groupClicked(int group);

private:
    void build();
    void fillAgainst();
    void showFront();
    void showPareto();
    void showGains();
    void showSteps();
    /// Prices the results under the second cost model, in a job.
    void priceAgain();

    Document& m_document;
    JobRunner& m_jobs;
    const CompareModel& m_model;
    QTabBar* m_tabs;
    QStackedWidget* m_pages;
    ParetoChart* m_pareto;
    QComboBox* m_against;
    QTableView* m_gains;
    QTableView* m_steps;
    QLabel* m_stepsTitle;
    RuleGainsModel* m_gainsModel;
    StepsModel* m_stepsModel;
    std::vector<ChartEntry> m_entries;
    int m_group = -1;
    RunNumber m_run = 0;
    std::map<RunNumber, double> m_pricedAgain;  ///< results under the second cost model; NaN: it cannot price them
    std::unique_ptr<QObject> m_pricing;         ///< context of the job
};

}  // namespace mitos::views
