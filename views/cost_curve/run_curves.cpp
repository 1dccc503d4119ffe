// SPDX-License-Identifier: GPL-3.0-or-later
// Best cost so far of every run.
#include "views/cost_curve/run_curves.h"

#include "views/common/format.h"
#include "views/cost_curve/qcustomplot_wrapper.h"

#include <QMouseEvent>
#include <algorithm>
#include <array>

namespace mitos::views {

namespace {

constexpr double ReachPixels = 10.0;
/// Runs differ in dash pattern as well as in colour.
constexpr std::array<Qt::PenStyle, 4> PenStyles{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};

}  // namespace

RunCurves::RunCurves(Document& document, Selection& selection, QWidget* parent)
    : PlotPanel(parent),
      m_document(document),
      m_selection(selection) {
    m_plot->setObjectName(QStringLiteral("runsPlot"));
    m_plot->setAccessibleName(tr("Best cost of each run"));
    m_plot->legend->setVisible(true);
    m_plot->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
    m_plot->setMouseTracking(true);
    m_plot->installEventFilter(this);
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
        style(number, curve, Theme(palette()));
    }
    for (; curve.taken < run->events.size(); ++curve.taken) {
        const search::SearchEvent& event = run->events[curve.taken];
        const double key = m_axis == Axis::Evaluations ? static_cast<double>(event.evaluations) : event.seconds;
        if (curve.graph->data()->isEmpty()) curve.lowCost = curve.highCost = event.best;
        // A point that repeats the best before it only moves the line's end.
        const int count = curve.graph->dataCount();
        if (count >= 2 && curve.graph->dataMainValue(count - 1) == event.best &&
            curve.graph->dataMainValue(count - 2) == event.best) {
            curve.graph->data()->removeAfter(curve.graph->dataMainKey(count - 2));
        }
        curve.graph->addData(key, event.best);
        curve.lowCost = std::min(curve.lowCost, event.best);
        curve.highCost = std::max(curve.highCost, event.best);
        curve.highKey = std::max(curve.highKey, key);
    }
    const QString name = tr("#%1 %2").arg(number).arg(fromUtf8(run->stored.strategy));
    curve.graph->setName(run->events.empty() ? name : tr("%1: %2").arg(name, costText(run->events.back().best)));
    requestReplot();
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
        const bool first = all.lowCost > all.highCost;
        all.lowCost = first ? curve.lowCost : std::min(all.lowCost, curve.lowCost);
        all.highCost = first ? curve.highCost : std::max(all.highCost, curve.highCost);
        all.highKey = std::max(all.highKey, curve.highKey);
    }
    if (all.highKey <= 0.0) all.highKey = 1.0;
    return all;
}

void RunCurves::style(RunNumber number, const Curve& curve, const Theme& theme) {
    QPen pen(theme.category(number - 1));
    pen.setStyle(PenStyles[static_cast<std::size_t>(number - 1) % PenStyles.size()]);
    pen.setWidthF(m_selection.run() == number ? 3.5 : 2.0);
    curve.graph->setPen(pen);
}

void RunCurves::applyColors(const Theme& theme) {
    for (const auto& [number, curve] : m_curves) style(number, curve, theme);
}

RunNumber RunCurves::runAt(const QPointF& place) const {
    RunNumber nearest = 0;
    double distance = ReachPixels;
    for (const auto& [number, curve] : m_curves) {
        const double here = curve.graph->selectTest(place, false);
        if (here >= 0 && here < distance) {
            distance = here;
            nearest = number;
        }
    }
    return nearest;
}

bool RunCurves::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_plot && event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const RunNumber run = runAt(mouse->position());
        if (mouse->button() == Qt::LeftButton && run != 0) Q_EMIT runClicked(run);
    } else if (watched == m_plot && event->type() == QEvent::MouseMove) {
        const bool over = runAt(static_cast<QMouseEvent*>(event)->position()) != 0;
        m_plot->setCursor(over ? Qt::PointingHandCursor : Qt::ArrowCursor);
    }
    return PlotPanel::eventFilter(watched, event);
}

}  // namespace mitos::views
