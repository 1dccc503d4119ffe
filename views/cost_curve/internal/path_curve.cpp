// SPDX-License-Identifier: GPL-3.0-or-later
// Cost of each state on the path to the current state.
#include "views/cost_curve/internal/path_curve.h"

#include "views/common/format.h"
#include "views/common/view_keys.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace mitos::views {

namespace {

constexpr double ReachPixels = 14.0;
constexpr std::size_t LongestAtOnce = 5'000;  // states of the history
constexpr std::size_t MostDots = 1'000;       // beyond this number of states, only the line is drawn

}  // namespace

PathCurve::PathCurve(Document& document, QWidget* parent)
    : PlotPanel(parent),
      m_document(document),
      m_walked(m_plot->addGraph()),
      m_ahead(m_plot->addGraph()),
      m_currentPoint(m_plot->addGraph()),
      m_peakPoint(m_plot->addGraph()),
      m_peakText(new QCPItemText(m_plot)) {
    m_plot->setObjectName(QStringLiteral("pathPlot"));
    m_plot->xAxis->setLabel(tr("step"));
    setQuantity(Quantity::Steps);
    countSteps();
    m_plot->setFocusPolicy(Qt::StrongFocus);
    m_peakText->position->setType(QCPItemPosition::ptPlotCoords);
    m_peakText->setPositionAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_peakText->setPadding(QMargins(2, 8, 2, 2));
    m_peakText->setClipToAxisRect(false);
    connect(this, &PlotPanel::zoomChanged, this, [this](bool zoomed) { m_peakText->setClipToAxisRect(zoomed); });
    // In the data, the path is one curve after the other; the points are only marks.
    m_walked->setName(tr("path"));
    m_ahead->setName(tr("ahead"));
    m_currentPoint->setName({});
    m_peakPoint->setName({});
    auto* keys = new ViewKeys(m_plot, tr("Chart"));
    keys->add({Qt::Key_Left}, tr("To the step before"), [this] {
        if (m_current > 0) goTo(m_current - 1);
    });
    keys->add({Qt::Key_Right}, tr("To the next step"), [this] {
        if (m_current + 1 < m_states.size()) goTo(m_current + 1);
    });
    m_drawing.setSingleShot(true);
    m_drawing.setInterval(0);
    connect(&m_drawing, &QTimer::timeout, this, &PathCurve::draw);
    updateColors();
}

void PathCurve::refresh() {
    if (m_document.isOpen() && m_document.history().size() > LongestAtOnce)
        m_drawing.start();
    else
        draw();
}

void PathCurve::draw() {
    m_drawing.stop();
    m_states.clear();
    m_costs.clear();
    m_current = 0;
    for (QCPGraph* graph : {m_walked, m_ahead, m_currentPoint, m_peakPoint}) graph->data()->clear();
    m_peakText->setVisible(false);
    if (m_document.isOpen()) {
        const rewrite::History& history = m_document.history();
        m_states = history.pathTo(history.current());
        m_current = m_states.size() - 1;
        for (rewrite::StateId next = history.state(history.current()).lastChild; next.isValid();
             next = history.state(next).lastChild) {
            m_states.push_back(next);
        }
        for (const rewrite::StateId state : m_states) m_costs.push_back(history.state(state).cost);
        std::size_t peak = 0;
        QVector<QCPGraphData> points;
        points.reserve(static_cast<qsizetype>(m_states.size()));
        for (std::size_t step = 0; step < m_states.size(); ++step) {
            points.append(QCPGraphData(static_cast<double>(step), m_costs[step]));
            if (points.back().value > points[static_cast<qsizetype>(peak)].value) peak = step;
        }
        const auto here = static_cast<qsizetype>(m_current);
        m_walked->data()->set(points.mid(0, here + 1), true);
        m_ahead->data()->set(points.mid(here), true);
        m_currentPoint->addData(static_cast<double>(m_current), m_costs[m_current]);
        if (!isNoChange(m_costs[peak] - m_costs[0], m_costs[0])) {  // the path has a peak above its start
            m_peakPoint->addData(static_cast<double>(peak), m_costs[peak]);
            m_peakText->setText(tr("peak %1").arg(costText(m_costs[peak])));
            m_peakText->position->setCoords(static_cast<double>(peak), m_costs[peak]);
            m_peakText->setVisible(true);
        }
    }
    describe();
    applyColors(Theme(palette()));  // also sets whether dots are drawn
    requestReplot();
}

void PathCurve::describe() {
    if (m_states.empty()) {
        m_plot->setAccessibleName(tr("Cost along the path: nothing yet"));
        return;
    }
    m_plot->setAccessibleName(tr("Cost along the path: step %L1 of %L2, cost %3, start %4")
                                  .arg(m_current)
                                  .arg(m_states.size() - 1)
                                  .arg(costText(m_costs[m_current]), costText(m_costs[0])));
}

PlotPanel::Extent PathCurve::extent() const {
    Extent all;
    if (m_states.empty()) return all;
    all.highKey = std::max<double>(1.0, static_cast<double>(m_states.size() - 1));
    for (std::size_t step = 0; step < m_states.size(); ++step) all.include(m_costs[step]);
    return all;
}

void PathCurve::applyColors(const Theme& theme) {
    const QColor line = theme.category(0);
    m_walked->setPen(QPen(line, 2));
    const bool dots = m_states.size() <= MostDots;
    m_walked->setScatterStyle(QCPScatterStyle(dots ? QCPScatterStyle::ssDisc : QCPScatterStyle::ssNone, line, 6));
    m_ahead->setPen(QPen(theme.faintText(), 1.5, Qt::DotLine));
    m_ahead->setScatterStyle(QCPScatterStyle(dots ? QCPScatterStyle::ssCircle : QCPScatterStyle::ssNone,
                                             QPen(theme.faintText(), 1.5), Qt::NoBrush, 6));
    m_currentPoint->setLineStyle(QCPGraph::lsNone);
    m_currentPoint->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(theme.plotText(), 2), QBrush(line), 12));
    m_peakPoint->setLineStyle(QCPGraph::lsNone);
    m_peakPoint->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssTriangle, QPen(theme.worse(), 2), QBrush(theme.plotBackground()), 11));
    m_peakText->setColor(theme.worse());
    m_peakText->setFont(font());
}

QPointF PathCurve::placeOf(std::size_t step) const {
    return {m_plot->xAxis->coordToPixel(static_cast<double>(step)), m_plot->yAxis->coordToPixel(m_costs[step])};
}

std::optional<std::size_t> PathCurve::stepAt(const QPointF& place) const {
    if (m_states.empty()) return std::nullopt;
    const double nearest = std::round(m_plot->xAxis->pixelToCoord(place.x()));
    const auto step = static_cast<std::size_t>(std::clamp(nearest, 0.0, static_cast<double>(m_states.size() - 1)));
    const QPointF offset = placeOf(step) - place;
    if (std::hypot(offset.x(), offset.y()) > ReachPixels) return std::nullopt;
    return step;
}

void PathCurve::goTo(std::size_t step) {
    if (step < m_states.size() && step != m_current) m_document.checkout(m_states[step]);
}

bool PathCurve::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_plot) return PlotPanel::eventFilter(watched, event);
    switch (event->type()) {
        case QEvent::ToolTip: {
            const auto* help = static_cast<QHelpEvent*>(event);
            if (const std::optional<std::size_t> step = stepAt(help->pos())) {
                const rewrite::HistoryState& state = m_document.history().state(m_states[*step]);
                const QString rule = state.step ? fromUtf8(state.step->name()) : tr("start");
                QToolTip::showText(help->globalPos(),
                                   tr("Step %L1: %2, cost %3").arg(*step).arg(rule, costText(state.cost)), m_plot);
                return true;
            }
            break;
        }
        default: break;
    }
    return PlotPanel::eventFilter(watched, event);
}

}  // namespace mitos::views
