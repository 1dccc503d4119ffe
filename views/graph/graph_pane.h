// SPDX-License-Identifier: GPL-3.0-or-later
// A graph with what one needs around it: how much of it is shown, and the controls that change that.
#pragma once

#include "views/graph/graph_view.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace mitos::views {

class GraphPane : public QWidget {
    Q_OBJECT
public:
    explicit GraphPane(JobRunner& jobs, QWidget* parent = nullptr);
    /// The direction is remembered under that name; `usual`: until its user chooses another.
    GraphPane(JobRunner& jobs, const QString& name, GraphDirection usual, QWidget* parent = nullptr);

    [[nodiscard]] GraphView& view() { return *m_view; }
    /// "180 of 9,940 nodes", and why: stands below the graph and on exported pictures.
    void setFooter(const QString& text);
    [[nodiscard]] QString footer() const;
    /// A button at the left of the others; with a name for tests.
    QToolButton* addButton(const QString& name, const QString& text, const QString& toolTip, bool checkable);
    /// What pictures are called.
    void setTitle(const QString& title) { m_title = title; }
    /// Opens the dialog that writes a picture.
    void exportPicture();

private:
    void showNote();
    void updateDirection();
    [[nodiscard]] QString directionKey() const;

    QString m_name;
    GraphView* m_view;
    QLabel* m_footer;
    QToolButton* m_direction;
    QToolButton* m_improve;
    QHBoxLayout* m_row;
    int m_added = 0;  ///< buttons of users of the pane
    QString m_title;
};

}  // namespace mitos::views
