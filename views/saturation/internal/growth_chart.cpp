// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/saturation/internal/growth_chart.h"

#include "views/plot/qcustomplot_wrapper.h"

#include <cmath>

namespace mitos::views {

GrowthChart::GrowthChart(EGraphDocument& document, QWidget* parent)
    : PlotPanel(parent),
      m_document(document),
      m_nodes(m_plot->addGraph()),
      m_classes(m_plot->addGraph()),
      m_mark(new QCPItemStraightLine(m_plot)) {
    m_plot->setObjectName(QStringLiteral("growthPlot"));
    m_plot->setAccessibleName(tr("E-nodes and classes over the iterations"));
    m_plot->xAxis->setLabel(tr("iteration"));
    setQuantity(Quantity::Iterations);
    m_plot->yAxis->setLabel(tr("e-nodes, classes"));
    countSteps();
    m_nodes->setName(tr("e-nodes"));
    m_classes->setName(tr("classes"));
    showLegend();
    updateColors();
}

void GrowthChart::refresh() {
    const egraph::SaturationReport& report = m_document.report();
    for (QCPGraph* graph : {m_nodes, m_classes}) graph->data()->clear();
    if (m_document.hasReport()) {
        m_nodes->addData(0.0, static_cast<double>(report.startNodes));
        m_classes->addData(0.0, static_cast<double>(report.startClasses));
        double key = 1.0;
        for (const egraph::IterationReport& iteration : report.iterations) {
            m_nodes->addData(key, static_cast<double>(iteration.nodes));
            m_classes->addData(key, static_cast<double>(iteration.classes));
            key += 1.0;
        }
    }
    showIteration();
}

void GrowthChart::showIteration() {
    const auto key = static_cast<double>(m_document.iteration());
    m_mark->point1->setCoords(key, 0.0);
    m_mark->point2->setCoords(key, 1.0);
    requestReplot();
}

int GrowthChart::points() const { return m_nodes->dataCount(); }

PlotPanel::Extent GrowthChart::extent() const {
    Extent all;
    const egraph::SaturationReport& report = m_document.report();
    if (!m_document.hasReport()) return all;
    all.highKey = std::max(1.0, static_cast<double>(report.iterations.size()));
    all.include(static_cast<double>(report.startNodes));
    all.include(static_cast<double>(report.startClasses));
    for (const egraph::IterationReport& iteration : report.iterations) {
        all.include(static_cast<double>(iteration.nodes));
        all.include(static_cast<double>(iteration.classes));
    }
    return all;
}

void GrowthChart::applyColors(const Theme& theme) {
    const QCPScatterStyle dots(QCPScatterStyle::ssDisc, 5);
    const QCPScatterStyle squares(QCPScatterStyle::ssSquare, 5);
    m_nodes->setPen(runPen(theme, 1, false));
    m_nodes->setScatterStyle(dots);
    m_classes->setPen(runPen(theme, 2, false));
    m_classes->setScatterStyle(squares);
    m_mark->setPen(QPen(theme.plotText(), 1.0, Qt::DotLine));
}

bool GrowthChart::reacts(const QPointF& place) const {
    return m_document.hasReport() && m_plot->axisRect()->rect().contains(place.toPoint());
}

void GrowthChart::clicked(const QPointF& place) {
    const double key = m_plot->xAxis->pixelToCoord(place.x());
    m_document.showNearest(static_cast<std::uint32_t>(std::max(0.0, std::round(key))));
}

}  // namespace mitos::views
