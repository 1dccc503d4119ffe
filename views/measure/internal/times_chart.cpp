// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/measure/internal/times_chart.h"

#include "views/common/widgets.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mitos::views {

namespace {

constexpr double Micro = 1e6;  ///< microseconds per second
constexpr double PointSize = 6.0;
constexpr double PointReach = 12.0;

}  // namespace

TimesChart::TimesChart(QWidget* parent)
    : PlotPanel(parent),
      m_equal(m_plot->addGraph()),
      m_others(m_plot->addGraph()),
      m_used(m_plot->addGraph()),
      m_chosen(m_plot->addGraph()) {
    setUpWidget(m_plot, "timesPlot", {}, tr("Times under two profiles"));
    m_equal->setName(tr("equal"));
    m_others->setName(tr("other operations"));
    m_used->setName(tr("of the open program"));
    m_chosen->setName(tr("selected"));
    for (QCPGraph* graph : {m_others, m_used, m_chosen}) graph->setLineStyle(QCPGraph::lsNone);
    setLogarithmic(true);
    updateColors();
}

void TimesChart::setPoints(std::vector<Point> points, const QString& title, const QString& otherTitle) {
    m_points = std::move(points);
    m_selected = -1;
    m_plot->xAxis->setLabel(tr("%1 (µs)").arg(title));
    m_plot->yAxis->setLabel(tr("%1 (µs)").arg(otherTitle));
    resetZoom();
    draw();
}

void TimesChart::draw() {
    for (QCPGraph* graph : {m_equal, m_others, m_used, m_chosen}) graph->data()->clear();
    double low = std::numeric_limits<double>::max();
    double high = 0.0;
    for (const Point& point : m_points) {
        QCPGraph* const graph = point.row == m_selected ? m_chosen : point.isUsed ? m_used : m_others;
        graph->addData(point.time * Micro, point.other * Micro);
        low = std::min({low, point.time, point.other});
        high = std::max({high, point.time, point.other});
    }
    if (high > 0.0) m_equal->setData({low * Micro, high * Micro}, {low * Micro, high * Micro}, true);
    requestReplot();
}

void TimesChart::select(int row) {
    if (std::exchange(m_selected, row) != row) draw();
}

PlotPanel::Extent TimesChart::extent() const {
    Extent all;
    double low = std::numeric_limits<double>::max();
    double high = 0.0;
    for (const Point& point : m_points) {
        low = std::min({low, point.time, point.other});
        high = std::max({high, point.time, point.other});
    }
    if (m_points.empty()) return all;
    all.lowKey = low * Micro;
    all.highKey = high * Micro;
    all.include(all.lowKey);
    all.include(all.highKey);
    return all;
}

void TimesChart::applyColors(const Theme& theme) {
    m_equal->setPen(QPen(theme.faintText(), 1, Qt::DashLine));
    const auto style = [](const QColor& edge, const QColor& fill, double size) {
        return QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(edge, 1), QBrush(fill), size);
    };
    m_others->setScatterStyle(style(theme.faintText(), Qt::transparent, PointSize));
    m_used->setScatterStyle(style(theme.category(0), theme.category(0), PointSize));
    m_chosen->setScatterStyle(style(theme.plotText(), theme.category(0), PointSize + 4));
}

int TimesChart::rowAt(const QPointF& place) const {
    int nearest = -1;
    double distance = PointReach;
    for (const Point& point : m_points) {
        const QPointF offset(m_plot->xAxis->coordToPixel(point.time * Micro) - place.x(),
                             m_plot->yAxis->coordToPixel(point.other * Micro) - place.y());
        if (const double here = std::hypot(offset.x(), offset.y()); here < distance) {
            distance = here;
            nearest = point.row;
        }
    }
    return nearest;
}

}  // namespace mitos::views
