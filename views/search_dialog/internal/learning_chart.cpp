// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search_dialog/internal/learning_chart.h"

#include "views/plot/qcustomplot_wrapper.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::views {

LearningChart::LearningChart(QWidget* parent) : PlotPanel(parent) {
    m_plot->setObjectName(QStringLiteral("learningPlot"));
    m_plot->setAccessibleName(tr("Curve of each training"));
    showLegend();
    setOverSteps(false, tr("seconds of training"));
}

void LearningChart::setMeasure(LearningMeasure measure, const QString& title) {
    m_measure = measure;
    m_plot->yAxis->setLabel(title);
    draw();
}

void LearningChart::setOverSteps(bool overSteps, const QString& title) {
    m_overSteps = overSteps;
    m_plot->xAxis->setLabel(title);
    setQuantity(overSteps ? Quantity::Steps : Quantity::Seconds);
    draw();
}

void LearningChart::show(std::vector<LearningCurve> curves) {
    m_curves = std::move(curves);
    draw();
}

std::optional<double> LearningChart::valueOf(const search::CurvePoint& point) const {
    constexpr double Percent = 100.0;
    const bool isReward = m_measure == LearningMeasure::Reward;
    const double value = isReward ? -point.reward : Percent * point.improvement;
    if (!std::isfinite(value) || (isReward && value == 0.0)) return std::nullopt;
    return value;
}

void LearningChart::draw() {
    m_plot->clearGraphs();
    m_graphs.clear();
    m_extent = {};
    for (const LearningCurve& curve : m_curves) {
        QCPGraph* const graph = m_plot->addGraph();
        graph->setName(curve.name);
        graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 5));
        for (const search::CurvePoint& point : curve.points) {
            const std::optional<double> value = valueOf(point);
            if (!value) continue;
            const double key = m_overSteps ? point.step : point.seconds;
            graph->addData(key, *value);
            m_extent.include(*value);
            m_extent.highKey = std::max(m_extent.highKey, key);
        }
        m_graphs.push_back(graph);
    }
    if (m_extent.lowCost <= m_extent.highCost) m_extent.include(0.0);
    updateColors();
    requestReplot();
}

int LearningChart::points() const {
    int count = 0;
    for (const QCPGraph* graph : m_graphs) count += graph->dataCount();
    return count;
}

void LearningChart::applyColors(const Theme& theme) {
    for (std::size_t i = 0; i < m_graphs.size(); ++i) m_graphs[i]->setPen(runPen(theme, m_curves[i].number, true));
}

}  // namespace mitos::views
