// SPDX-License-Identifier: GPL-3.0-or-later
// Best cost so far of every run.
#include "views/cost_curve/internal/run_curves.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <algorithm>

namespace mitos::views {

namespace {

constexpr double ReachOfCurve = 10.0;

}  // namespace

RunCurves::RunCurves(Document& document, Selection& selection, QWidget* parent)
    : PlotPanel(parent),
      m_document(document),
      m_selection(selection) {
    setUpWidget(m_plot, "runsPlot", {}, tr("Best cost of each run"));
    m_plot->legend->setVisible(true);
    m_plot->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
    connect(&selection, &Selection::runChanged, this, [this] { updateColors(); });
    setAxis(Axis::Evaluations);
    updateColors();
}

void RunCurves::setAxis(Axis axis) {
    m_axis = axis;
    m_plot->xAxis->setLabel(axis == Axis::Evaluations ? tr("expressions evaluated") : tr("seconds"));
    reload();
}

void RunCurves::reload() {
    m_plot->clearGraphs();
    m_curves.clear();
    if (m_document.isOpen()) {
        for (const Run& run : m_document.runs()) update(run.number);
    }
    requestReplot();
}

void RunCurves::update(RunNumber number) {
    const Run* run = m_document.run(number);
    if (run == nullptr) return;
    auto [entry, isNew] = m_curves.try_emplace(number);
    Curve& curve = entry->second;
    if (isNew) {
        curve.graph = m_plot->addGraph();
        curve.graph->setLineStyle(QCPGraph::lsStepLeft);
        curve.graph->setPen(runPen(Theme(palette()), number, m_selection.run() == number));
    }
    for (; curve.taken < run->events.size(); ++curve.taken) take(curve, run->events[curve.taken]);
    const QString name = tr("#%1 %2").arg(number).arg(fromUtf8(run->strategy));
    curve.graph->setName(run->events.empty() ? name : tr("%1: %2").arg(name, costText(run->events.back().best)));
    requestReplot();
}

/// A point that repeats the previous best only moves the end of the line.
void RunCurves::take(Curve& curve, const search::SearchEvent& event) {
    const double key = m_axis == Axis::Evaluations ? static_cast<double>(event.evaluations) : event.seconds;
    QCPGraphDataContainer& points = *curve.graph->data();
    if (points.isEmpty()) curve.lowCost = curve.highCost = event.best;
    const int count = points.size();
    if (count >= 2 && points.at(count - 1)->value == event.best && points.at(count - 2)->value == event.best) {
        (points.end() - 1)->key = std::max(key, points.at(count - 1)->key);
    } else {
        points.add(QCPGraphData(key, event.best));
    }
    curve.lowCost = std::min(curve.lowCost, event.best);
    curve.highCost = std::max(curve.highCost, event.best);
    curve.highKey = std::max(curve.highKey, key);
}

void RunCurves::remove(RunNumber run) {
    const auto entry = m_curves.find(run);
    if (entry == m_curves.end()) return;
    m_plot->removeGraph(entry->second.graph);
    m_curves.erase(entry);
    requestReplot();
}

int RunCurves::pointCount(RunNumber run) const {
    const auto entry = m_curves.find(run);
    return entry == m_curves.end() ? 0 : entry->second.graph->dataCount();
}

PlotPanel::Extent RunCurves::extent() const {
    Extent all;
    all.highKey = 0.0;
    for (const auto& [number, curve] : m_curves) {
        if (curve.graph->data()->isEmpty()) continue;
        all.include(curve.lowCost);
        all.include(curve.highCost);
        all.highKey = std::max(all.highKey, curve.highKey);
    }
    if (all.highKey <= 0.0) all.highKey = 1.0;
    return all;
}

void RunCurves::applyColors(const Theme& theme) {
    for (const auto& [number, curve] : m_curves)
        curve.graph->setPen(runPen(theme, number, m_selection.run() == number));
}

RunNumber RunCurves::runAt(const QPointF& place) const {
    RunNumber nearest = 0;
    double distance = ReachOfCurve;
    for (const auto& [number, curve] : m_curves) {
        const double here = curve.graph->selectTest(place, false);
        if (here >= 0 && here < distance) {
            distance = here;
            nearest = number;
        }
    }
    return nearest;
}

}  // namespace mitos::views
