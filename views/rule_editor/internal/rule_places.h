// SPDX-License-Identifier: GPL-3.0-or-later
// "Where does it match?": the places of the open program's current state where the rule under the cursor matches.
#pragma once

#include "views/rule_editor/internal/rule_matches.h"

#include <QWidget>
#include <memory>
#include <optional>

class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QStandardItemModel;
class QTreeView;

namespace mitos::views {

class EmptyState;

class RulePlaces : public QWidget {
    Q_OBJECT
public:
    RulePlaces(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);

    /// Lists the places of the rule, which is loaded with that registry; what is still being computed is dropped.
    void find(std::shared_ptr<const rules::Rule> rule, std::shared_ptr<const ir::OperatorRegistry> registry);
    /// Shows why there is nothing to match.
    void explain(const QString& reason);
    /// What the button does before it applies the rule.
    void setBefore(bool saves, bool uses);
    [[nodiscard]] bool isMatching() const { return m_running != 0; }

Q_SIGNALS:
    void applyRequested(const mitos::views::RuleMatch& match);
    void openRequested();  ///< the user wants a program

private:
    void again();
    void show(const RuleMatches& matches);
    void updateColors();
    void selectPlace();
    void apply();
    [[nodiscard]] std::optional<RuleMatch> selected() const;

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    QLabel* m_title;
    QProgressBar* m_progress;
    QStackedWidget* m_pages;
    QTreeView* m_rows;
    QStandardItemModel* m_model;
    EmptyState* m_empty;
    QPushButton* m_apply;
    std::vector<RuleMatch> m_matches;
    double m_costBefore = 0.0;
    std::shared_ptr<const rules::Rule> m_rule;
    std::shared_ptr<const ir::OperatorRegistry> m_registry;
    JobId m_running = 0;  ///< stopped and dropped when there is something newer to do
};

}  // namespace mitos::views
