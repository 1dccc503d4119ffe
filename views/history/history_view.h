// SPDX-License-Identifier: GPL-3.0-or-later
// The history as a tree of states: going back loses nothing; branches and runs are shown side by side.
#pragma once

#include "views/document/document.h"
#include "views/history/history_filter.h"

#include <QSet>
#include <QWidget>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace mitos::views {

class EmptyState;
class HistoryActions;

/// Double click or Enter makes a state current; HistoryActions has the other keys. Unfolded rows stay unfolded while
/// the history grows, and are stored in the session.
class HistoryView : public QWidget {
    Q_OBJECT
public:
    HistoryView(Document& document, Selection& selection, QWidget* parent = nullptr);
    /// Whether all states are rows, and are filtered.
    [[nodiscard]] bool isSettled() const { return !m_model->isLayingOut() && !m_filter->isWorking(); }

private:
    void buildTree();
    void connectAll();
    void updateTheme();
    void updateState();
    void showCurrent();
    void showIndex(const QModelIndex& source);
    void showComparison();
    void selectRunResult();
    void filter();
    void showFiltered();
    void noteFolding(const QModelIndex& index, bool unfolded);
    void restoreFolding();
    void showBranches(const QModelIndex& above);

    Document& m_document;
    Selection& m_selection;
    HistoryModel* m_model;
    HistoryFilter* m_filter;
    QStackedWidget* m_stack;
    QTreeView* m_tree;
    EmptyState* m_empty;
    QLabel* m_hint;
    QWidget* m_comparison;
    QLabel* m_comparisonText;
    QLineEdit* m_search;
    QToolButton* m_pinned;
    HistoryActions* m_actions;
    QToolButton* m_undo = nullptr;
    QToolButton* m_redo = nullptr;
    QToolButton* m_best = nullptr;
    QToolButton* m_stopComparing = nullptr;
    // Keys of rows (HistoryModel::key). Runs and repetitions are folded, and branches shown, unless the user wants it otherwise.
    QSet<QString> m_unfolded;   ///< runs and repetitions
    QSet<QString> m_folded;     ///< states whose branches are hidden
    bool m_isFiltered = false;  ///< the rows were unfolded for a filter
};

}  // namespace mitos::views
