// SPDX-License-Identifier: GPL-3.0-or-later
// Plots of the runs: the best cost so far of each, updated live, and the path that each found.
#pragma once

#include "views/document/document.h"
#include "views/plot/plot_panel.h"

#include <QTimer>
#include <map>
#include <optional>
#include <vector>

class QCPGraph;
class QCPItemText;

namespace mitos::views {

/// Best cost so far of every run under the cost model in force, over evaluated expressions or seconds. Costs of several models have no
/// common axis, so the other runs are only listed. A click on a curve selects its run and makes the state it found current.
class RunCurves : public PlotPanel {
    Q_OBJECT
public:
    enum class Axis { Evaluations, Seconds };

    RunCurves(Document& document, Selection& selection, QWidget* parent = nullptr);

    void setAxis(Axis axis);
    /// Removes all curves and draws those of the document's runs; if there are many events, in an event of its own. Required when
    /// another cost model comes into force.
    void reload();
    /// Draws the events of a run that arrived since the last call.
    void update(RunNumber run);
    void remove(RunNumber run);
    [[nodiscard]] std::size_t curveCount() const { return m_curves.size(); }
    /// The runs that were searched under other cost models, with their models: "#1 phases (ks-2021)".
    [[nodiscard]] QStringList runsUnderOthers() const;
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
    void drawAll();
    [[nodiscard]] QString nameOf(const Run& run) const;
    [[nodiscard]] bool isUnderOther(const Run& run) const;
    Curve& curveOf(const Run& run);
    void take(Curve& curve, const search::SearchEvent& event);

    Document& m_document;
    Selection& m_selection;
    QTimer m_drawing;
    Axis m_axis = Axis::Evaluations;
    std::map<RunNumber, Curve> m_curves;
};

/// The path that each run found: the cost of every state from where it began to its best state, and the peak between them. A path begins
/// at the step of the state where the run began; a faint line leads there from the start of the program. A click on a point selects its run and makes the state current.
class RunPaths : public PlotPanel {
    Q_OBJECT
public:
    RunPaths(Document& document, Selection& selection, QWidget* parent = nullptr);

    /// Draws the paths of the document's runs from the current history.
    void refresh();
    [[nodiscard]] std::size_t pathCount() const { return m_paths.size(); }
    /// States of a run's path, start first; empty for runs that found none.
    [[nodiscard]] std::vector<rewrite::StateId> statesOf(RunNumber run) const;
    /// The step where the path costs most; nothing if it never costs more than its start.
    [[nodiscard]] std::optional<std::size_t> peakOf(RunNumber run) const;
    /// Position of a step's point in the plot, in pixels.
    [[nodiscard]] QPointF placeOf(RunNumber run, std::size_t step) const;

protected:
    [[nodiscard]] Extent extent() const override;
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& place) const override { return pointAt(place).has_value(); }
    void clicked(const QPointF& place) override;

private:
    struct Path {
        std::vector<rewrite::StateId> states;
        std::vector<double> costs;  ///< of the states, as last drawn
        std::size_t before = 0;     ///< steps from the start of the program to the first state
        std::optional<std::size_t> peak;
        QCPGraph* line = nullptr;
        QCPGraph* lead = nullptr;  ///< from the start of the program
        QCPGraph* peakPoint = nullptr;
        QCPItemText* peakText = nullptr;
    };
    struct Point {
        RunNumber run = 0;
        std::size_t step = 0;
    };
    void draw(const Run& run);
    [[nodiscard]] std::optional<Point> pointAt(const QPointF& place) const;

    Document& m_document;
    Selection& m_selection;
    std::map<RunNumber, Path> m_paths;
};

}  // namespace mitos::views
