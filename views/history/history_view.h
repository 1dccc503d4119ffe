// SPDX-License-Identifier: GPL-3.0-or-later
// The history as a tree of states: going back never loses anything, branches and runs stand beside each other.
#pragma once

#include "views/document/document.h"
#include "views/history/history_model.h"

#include <QWidget>

class QLabel;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace mitos::views {

class EmptyState;

/// Double click or Enter makes a state current, F2 names it. Expansion and selection stay while the history grows.
class HistoryView : public QWidget {
    Q_OBJECT
public:
    HistoryView(Document& document, Selection& selection, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void updateTheme();
    void updateState();
    void showCurrent();
    void selectRunResult();
    QToolButton* addButton(const QString& name, const QString& text, const QString& toolTip);

    Document& m_document;
    Selection& m_selection;
    HistoryModel* m_model;
    QStackedWidget* m_stack;
    QTreeView* m_tree;
    EmptyState* m_empty;
    QLabel* m_hint;
    QToolButton* m_undo = nullptr;
    QToolButton* m_redo = nullptr;
    QToolButton* m_best = nullptr;
};

}  // namespace mitos::views
