// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown beside the curves of a comparison, in tabs: cost against time or a second cost, gains of rules, how often
// they were applied, steps of two results.
#pragma once

#include "views/compare/internal/compare_charts.h"
#include "views/compare/internal/run_details.h"
#include "views/document/compared_programs.h"

#include <QWidget>
#include <map>
#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QStackedWidget;
class QTabBar;
class QTableView;

namespace mitos::views {

class CompareModel;
/// Only the tab in front is filled.
class ComparedDetails final : public QWidget {
    Q_OBJECT
public:
    ComparedDetails(Document& document, JobRunner& jobs, const CompareModel& model, QWidget* parent);

    /// The strategies that the filter shows.
    void setEntries(std::vector<ChartEntry> entries);
    /// The selected strategy, and its run whose steps are shown; -1 and no run: none.
    void select(int group, ComparedRunId run);
    /// Drops the costs under the second model and the uses of rules, as results or models are others now.
    void forgetResults();

Q_SIGNALS:
    void groupClicked(int group);

private:
    void build();
    void fillAgainst();
    void showFront();
    void showPareto();
    /// The steps of a run; nothing if there are none, or its program's history is not known.
    [[nodiscard]] std::optional<RunThread> threadOf(ComparedRunId run) const;
    void showGains();
    void showUses();
    struct Uses {
        std::vector<search::RuleUse> rules;
        bool isOfEGraph = false;
    };
    [[nodiscard]] const Uses* usesOf(ComparedRunId run);
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
    QTableView* m_uses;
    QTableView* m_steps;
    QLabel* m_stepsTitle;
    RuleGainsModel* m_gainsModel;
    RuleUsesModel* m_usesModel;
    StepsModel* m_stepsModel;
    std::vector<ChartEntry> m_entries;
    int m_group = -1;
    ComparedRunId m_run;
    /// A start and a result under the second cost model; NaN: it cannot price them.
    struct Priced {
        double start;
        double result;
    };
    std::map<ComparedRunId, Priced> m_pricedAgain;
    std::map<ComparedRunId, Uses> m_usesOf;  ///< of finished runs
    std::unique_ptr<QObject> m_pricing;      ///< context of the job
};

}  // namespace mitos::views
