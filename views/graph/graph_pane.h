// SPDX-License-Identifier: GPL-3.0-or-later
// A graph view with its footer, which says how much of the graph is shown, and its controls.
#pragma once

#include "views/graph/graph_legend.h"
#include "views/graph/graph_view.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace mitos::views {

class FlowRow;

class GraphPane : public QWidget {
    Q_OBJECT
public:
    explicit GraphPane(JobRunner& jobs, QWidget* parent = nullptr);
    /// The direction is stored under `name`; `usual` applies until the user chooses another one.
    GraphPane(JobRunner& jobs, const QString& name, GraphDirection usual, QWidget* parent = nullptr);

    [[nodiscard]] GraphView& view() { return *m_view; }
    [[nodiscard]] GraphLegend& legend() { return *m_legend; }  ///< above the graph; hidden without entries
    /// "180 of 9,940 nodes", and the reason: shown below the graph and on exported pictures.
    void setFooter(const QString& text);
    [[nodiscard]] QString footer() const;
    /// Adds a button to the left of the others; `name` is its object name, for tests.
    QToolButton* addButton(const QString& name, const QString& text, const QString& toolTip, bool checkable);
    /// The title of exported pictures.
    void setTitle(const QString& title) { m_title = title; }
    /// Opens the dialog that saves a picture.
    void exportPicture();

private:
    void showNote();
    void updateDirection();
    [[nodiscard]] QString directionKey() const;

    QString m_name;
    GraphView* m_view;
    GraphLegend* m_legend;
    QLabel* m_footer;
    QToolButton* m_direction;
    QToolButton* m_improve;
    FlowRow* m_row;
    int m_added = 0;  ///< number of buttons added with addButton()
    QString m_title;
};

}  // namespace mitos::views
