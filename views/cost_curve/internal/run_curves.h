// SPDX-License-Identifier: GPL-3.0-or-later
// Best cost so far of every run, over evaluated expressions or seconds, updated live.
#pragma once

#include "views/document/document.h"
#include "views/plot/plot_panel.h"

#include <map>

class QCPGraph;

namespace mitos::views {

/// A click on a curve selects its run and makes the state it found current.
class RunCurves : public PlotPanel {
    Q_OBJECT
public:
    enum class Axis { Evaluations, Seconds };

    RunCurves(Document& document, Selection& selection, QWidget* parent = nullptr);

    void setAxis(Axis axis);
    /// Removes all curves and draws those of the document's runs.
    void reload();
    /// Draws the events of a run that arrived since the last call.
    void update(RunNumber run);
    void remove(RunNumber run);
    [[nodiscard]] std::size_t curveCount() const { return m_curves.size(); }
    /// Number of points drawn for a run; 0 if the run is unknown.
    [[nodiscard]] int pointCount(RunNumber run) const;
    /// Number of the run whose curve passes the position; 0 if there is none.
    [[nodiscard]] RunNumber runAt(const QPointF& place) const;

Q_SIGNALS:
    void runClicked(int number);

protected:
    [[nodiscard]] Extent extent() const override;
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& place) const override { return runAt(place) != 0; }
    void clicked(const QPointF& place) override { Q_EMIT runClicked(runAt(place)); }

private:
    struct Curve {
        QCPGraph* graph = nullptr;
        std::size_t taken = 0;  ///< events drawn
        double lowCost = 0.0;
        double highCost = 0.0;
        double highKey = 0.0;
    };
    void take(Curve& curve, const search::SearchEvent& event);

    Document& m_document;
    Selection& m_selection;
    Axis m_axis = Axis::Evaluations;
    std::map<RunNumber, Curve> m_curves;
};

}  // namespace mitos::views
