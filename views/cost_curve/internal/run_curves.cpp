// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cost_curve/internal/run_curves.h"

#include "search/placement/training_run.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/gain_text.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <algorithm>
#include <cmath>

namespace mitos::views {

namespace {

constexpr std::size_t MostAtOnce = 5'000;  // events
constexpr double ReachOfPath = 14.0;
constexpr double ReachOfCurve = 10.0;

}  // namespace

RunCurves::RunCurves(Document& document, Selection& selection, QWidget* parent)
    : PlotPanel(parent),
      m_document(document),
      m_selection(selection) {
    setUpWidget(m_plot, "runsPlot", {}, tr("Best cost of each run"));
    showLegend();
    connect(&selection, &Selection::runChanged, this, [this] { updateColors(); });
    m_drawing.setSingleShot(true);
    m_drawing.setInterval(0);
    connect(&m_drawing, &QTimer::timeout, this, &RunCurves::drawAll);
    setAxis(Axis::Evaluations);
    updateColors();
}

void RunCurves::setAxis(Axis axis) {
    if (m_axis != axis) resetZoom();
    m_axis = axis;
    m_plot->xAxis->setLabel(axis == Axis::Evaluations ? tr("expressions evaluated") : tr("seconds"));
    setQuantity(axis == Axis::Evaluations ? Quantity::Evaluations : Quantity::Seconds);
    reload();
}

void RunCurves::reload() {
    m_plot->clearGraphs();
    m_curves.clear();
    m_drawing.stop();
    std::size_t events = 0;
    if (m_document.isOpen()) {
        for (const Run& run : m_document.runs()) {
            if (isUnderOther(run) || search::isTraining(run)) continue;
            curveOf(run);
            events += run.events.size();
        }
    }
    if (events > MostAtOnce)
        m_drawing.start();
    else
        drawAll();
    requestReplot();
}

void RunCurves::drawAll() {
    if (!m_document.isOpen()) return;
    for (const Run& run : m_document.runs()) update(run.number);
}

bool RunCurves::isUnderOther(const Run& run) const { return run.costModel != m_document.costModel().info().name; }

QStringList RunCurves::runsUnderOthers() const {
    QStringList names;
    if (!m_document.isOpen()) return names;
    for (const Run& run : m_document.runs()) {
        if (!isUnderOther(run)) continue;
        names << tr("#%1 %2 (%3)").arg(run.number).arg(fromUtf8(run.strategy), fromUtf8(run.costModel));
    }
    return names;
}

/// "#2 mcts: 27.22 k, ▼ −14.6 %, from state 52, 47.49 k"; the gain is against the start of the program.
QString RunCurves::nameOf(const Run& run) const {
    QString name = tr("#%1 %2").arg(run.number).arg(fromUtf8(run.strategy));
    if (run.events.empty()) return name;
    RunGain gain = gainOf(m_document.history(), m_document.costModel().info(), run);
    gain.cost = run.events.back().best;
    name = tr("%1: %2").arg(name, costText(gain.cost));
    if (!isNoChange(gain.cost - gain.start, gain.start)) name = tr("%1, %2").arg(name, gain.text());
    return gain.from.isEmpty() ? name : tr("%1, %2").arg(name, gain.fromText());
}

RunCurves::Curve& RunCurves::curveOf(const Run& run) {
    auto [entry, isNew] = m_curves.try_emplace(run.number);
    Curve& curve = entry->second;
    if (isNew) {
        curve.graph = m_plot->addGraph();
        curve.graph->setLineStyle(QCPGraph::lsStepLeft);
        curve.graph->setPen(runPen(Theme(palette()), run.number, m_selection.run() == run.number));
    }
    return curve;
}

void RunCurves::update(RunNumber number) {
    const Run* run = m_document.run(number);
    if (run == nullptr || isUnderOther(*run) || search::isTraining(*run)) return;
    Curve& curve = curveOf(*run);
    for (; curve.taken < run->events.size(); ++curve.taken) take(curve, run->events[curve.taken]);
    curve.graph->setName(nameOf(*run));
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

RunPaths::RunPaths(Document& document, Selection& selection, QWidget* parent)
    : PlotPanel(parent),
      m_document(document),
      m_selection(selection) {
    setUpWidget(m_plot, "runPathsPlot", {}, tr("Cost along the way each run found"));
    m_plot->xAxis->setLabel(tr("step from the start"));
    setQuantity(Quantity::Steps);
    countSteps();
    showLegend();
    connect(&selection, &Selection::runChanged, this, [this] { updateColors(); });
    refresh();
}

void RunPaths::refresh() {
    m_plot->clearGraphs();
    for (const auto& [number, path] : m_paths) m_plot->removeItem(path.peakText);
    m_paths.clear();
    if (m_document.isOpen()) {
        for (const Run& run : m_document.runs()) draw(run);
    }
    updateColors();
}

void RunPaths::draw(const Run& run) {
    if (!run.resultState.isValid()) return;
    std::vector<rewrite::StateId> states = m_document.history().pathTo(run.resultState);
    const auto start = std::ranges::find(states, rewrite::StateId(run.startState));
    if (start == states.end() || start + 1 == states.end()) return;  // the run found nothing better
    Path path;
    path.states.assign(start, states.end());
    path.before = static_cast<std::size_t>(start - states.begin());
    path.lead = m_plot->addGraph();
    path.lead->removeFromLegend();
    path.lead->setName({});  // the way there is no part of the run
    for (std::size_t step = 0; path.before > 0 && step <= path.before; ++step)
        path.lead->addData(static_cast<double>(step), m_document.history().state(states[step]).cost);
    const auto keyOf = [before = path.before](std::size_t step) { return static_cast<double>(before + step); };
    path.line = m_plot->addGraph();
    const RunGain gain = gainOf(m_document.history(), m_document.costModel().info(), run);
    const QString name =
        tr("#%1 %2: %L3 steps").arg(run.number).arg(fromUtf8(run.strategy)).arg(path.states.size() - 1);
    path.line->setName(gain.from.isEmpty() ? tr("%1, %2").arg(name, gain.text())
                                           : tr("%1, %2, %3").arg(name, gain.text(), gain.fromText()));
    path.peakPoint = m_plot->addGraph();
    path.peakPoint->removeFromLegend();
    path.peakPoint->setName({});  // a mark, not data
    path.peakText = new QCPItemText(m_plot);
    path.peakText->position->setType(QCPItemPosition::ptPlotCoords);
    path.peakText->setPositionAlignment(Qt::AlignHCenter | Qt::AlignTop);
    path.peakText->setPadding(QMargins(2, 8, 2, 2));
    std::size_t peak = 0;
    for (std::size_t step = 0; step < path.states.size(); ++step) {
        path.costs.push_back(m_document.history().state(path.states[step]).cost);
        path.line->addData(keyOf(step), path.costs.back());
        if (path.costs.back() > path.costs[peak]) peak = step;
    }
    const double before = path.costs.front();
    const double top = path.costs[peak];
    const bool climbs = !isNoChange(top - before, before);
    if (climbs) {
        path.peak = peak;
        path.peakPoint->addData(keyOf(peak), top);
        path.peakText->position->setCoords(keyOf(peak), top);
        path.peakText->setText(tr("peak %1 (%2)").arg(costText(top), signedText(top - before)));
    }
    m_paths.emplace(run.number, std::move(path));
}

std::vector<rewrite::StateId> RunPaths::statesOf(RunNumber run) const {
    const auto found = m_paths.find(run);
    return found == m_paths.end() ? std::vector<rewrite::StateId>() : found->second.states;
}

std::optional<std::size_t> RunPaths::peakOf(RunNumber run) const {
    const auto found = m_paths.find(run);
    return found == m_paths.end() ? std::nullopt : found->second.peak;
}

QPointF RunPaths::placeOf(RunNumber run, std::size_t step) const {
    const Path& path = m_paths.at(run);
    const double cost = path.costs[step];
    return {m_plot->xAxis->coordToPixel(static_cast<double>(path.before + step)), m_plot->yAxis->coordToPixel(cost)};
}

PlotPanel::Extent RunPaths::extent() const {
    Extent all;
    for (const auto& [number, path] : m_paths) {
        all.highKey = std::max(all.highKey, static_cast<double>(path.before + path.states.size() - 1));
        for (const double cost : path.costs) all.include(cost);
        for (const QCPGraphData& point : *path.lead->data()) all.include(point.value);
    }
    return all;
}

void RunPaths::applyColors(const Theme& theme) {
    for (const auto& [number, path] : m_paths) {
        const QPen pen = runPen(theme, number, m_selection.run() == number);
        path.line->setPen(pen);
        path.lead->setPen(QPen(theme.faintText(), 1, Qt::DotLine));
        path.line->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, pen.color(), 6));
        path.peakPoint->setLineStyle(QCPGraph::lsNone);
        path.peakPoint->setScatterStyle(
            QCPScatterStyle(QCPScatterStyle::ssTriangle, QPen(pen.color(), 2), QBrush(theme.plotBackground()), 11));
        // Labels of all runs would overlap.
        path.peakText->setVisible(path.peak && (m_paths.size() == 1 || m_selection.run() == number));
        path.peakText->setColor(theme.plotText());
        path.peakText->setFont(font());
    }
}

std::optional<RunPaths::Point> RunPaths::pointAt(const QPointF& place) const {
    std::optional<Point> nearest;
    double distance = ReachOfPath;
    const double step = std::round(m_plot->xAxis->pixelToCoord(place.x()));
    for (const auto& [number, path] : m_paths) {
        const Point point{number, static_cast<std::size_t>(std::clamp(step - static_cast<double>(path.before), 0.0,
                                                                      static_cast<double>(path.states.size() - 1)))};
        const QPointF offset = placeOf(number, point.step) - place;
        const double here = std::hypot(offset.x(), offset.y());
        // If several runs have a point there, the selected run takes precedence.
        if (here < distance || (here == distance && number == m_selection.run())) {
            distance = here;
            nearest = point;
        }
    }
    return nearest;
}

void RunPaths::clicked(const QPointF& place) {
    const std::optional<Point> point = pointAt(place);
    if (!point) return;
    const rewrite::StateId state = m_paths.at(point->run).states[point->step];
    m_selection.setRun(point->run);
    m_document.checkout(state);
}

}  // namespace mitos::views
