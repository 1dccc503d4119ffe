// SPDX-License-Identifier: GPL-3.0-or-later
// Cost along the path to the current state, best cost over time of every run, and the paths that the runs found.
#pragma once

#include "views/document/document.h"

#include <QWidget>
#include <array>

class QCheckBox;
class QComboBox;
class QLabel;
class QStackedWidget;

namespace mitos::views {

class EmptyState;
class PathCurve;
class PlotPanel;
class RunCurves;
class RunPaths;

class CostCurveView : public QWidget {
    Q_OBJECT
public:
    CostCurveView(Document& document, Selection& selection, QWidget* parent = nullptr);

Q_SIGNALS:
    /// Emitted by the button of the empty state, which is shown only if this signal is connected.
    void searchRequested();

private:
    void updateState();
    [[nodiscard]] std::array<PlotPanel*, 3> panels() const;
    void openRun(RunNumber number);

    Document& m_document;
    Selection& m_selection;
    QComboBox* m_what;
    QComboBox* m_axis;
    QCheckBox* m_logarithmic;
    QCheckBox* m_fromZero;
    QStackedWidget* m_stack;
    PathCurve* m_path;
    RunCurves* m_runs;
    RunPaths* m_runPaths;
    QLabel* m_others;  ///< the runs that are not drawn, because another cost model priced them
    EmptyState* m_empty;
};

}  // namespace mitos::views
