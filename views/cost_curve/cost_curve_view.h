// SPDX-License-Identifier: GPL-3.0-or-later
// Cost along the path to the current state, and best cost over time of every run.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QStackedWidget;

namespace mitos::views {

class EmptyState;
class PathCurve;
class RunCurves;

class CostCurveView : public QWidget {
    Q_OBJECT
public:
    CostCurveView(Document& document, Selection& selection, QWidget* parent = nullptr);

Q_SIGNALS:
    /// The button of the empty state; shown only if somebody listens.
    void searchRequested();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void updateState();
    void openRun(RunNumber number);

    Document& m_document;
    Selection& m_selection;
    QComboBox* m_what;
    QComboBox* m_axis;
    QCheckBox* m_logarithmic;
    QStackedWidget* m_stack;
    PathCurve* m_path;
    RunCurves* m_runs;
    EmptyState* m_empty;
};

}  // namespace mitos::views
