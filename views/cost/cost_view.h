// SPDX-License-Identifier: GPL-3.0-or-later
// Explains the cost of the selected subterm: its formula, its operands, and its most expensive operators.
#pragma once

#include "views/cost/cost_table_model.h"
#include "views/document/document.h"
#include "views/job_runner/query.h"

#include <QWidget>
#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace mitos::views {

class EmptyState;

class CostView : public QWidget {
    Q_OBJECT
public:
    CostView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);
    ~CostView() override;
    /// Whether the rows belong to the current state and selection.
    [[nodiscard]] bool isComplete() const { return m_complete; }

private:
    /// Explains again after a change: now, or when the view is next shown.
    void invalidate();
    void refresh();
    void takeCosts(ExplainedCosts costs);
    void showRows();
    void showSummary(const ir::Path& path);
    [[nodiscard]] std::shared_ptr<const cost::CostModel> otherModel() const;
    [[nodiscard]] std::uint64_t size(const ir::Program& program) const;  ///< number of its cost parts

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    Query m_query{m_jobs};
    bool m_stale = true;
    ExplainedCosts m_costs;
    bool m_complete = false;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QLabel* m_title;
    QLabel* m_formula;
    QComboBox* m_mode;
    QComboBox* m_other;
    QTableView* m_table;
    CostTableModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QCheckBox* m_bars;
};

}  // namespace mitos::views
