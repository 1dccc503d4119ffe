// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/schedule/internal/generation_chart.h"

#include "views/plot/qcustomplot_wrapper.h"

#include <algorithm>
#include <cmath>

namespace mitos::views {

GenerationChart::GenerationChart(QWidget* parent)
    : PlotPanel(parent),
      m_best(m_plot->addGraph()),
      m_generation(m_plot->addGraph()),
      m_mean(m_plot->addGraph()) {
    m_plot->setObjectName(QStringLiteral("generationPlot"));
    m_plot->setAccessibleName(tr("Best and mean cost over the generations"));
    m_plot->xAxis->setLabel(tr("generation"));
    setQuantity(Quantity::Iterations);
    countSteps();
    m_best->setName(tr("best so far"));
    m_best->setLineStyle(QCPGraph::lsStepLeft);
    m_generation->setName(tr("best of the generation"));
    m_mean->setName(tr("mean"));
    showLegend();
    updateColors();
}

void GenerationChart::show(const std::vector<search::SearchEvent>& events, const QString& unit) {
    for (QCPGraph* graph : {m_best, m_generation, m_mean}) graph->data()->clear();
    m_extent = {};
    const auto add = [this](QCPGraph* graph, double key, double cost) {
        if (!std::isfinite(cost)) return;
        graph->addData(key, cost);
        m_extent.include(cost);
        m_extent.highKey = std::max(m_extent.highKey, key);
    };
    for (const search::SearchEvent& event : events) {
        const auto* const generation = event.as<search::Generation>();
        if (generation == nullptr) continue;
        const double key = generation->number;
        add(m_best, key, event.best);
        add(m_generation, key, generation->best);
        add(m_mean, key, generation->mean);
    }
    setUnit(unit);
    requestReplot();
}

int GenerationChart::points() const { return m_best->dataCount(); }

void GenerationChart::applyColors(const Theme& theme) {
    m_best->setPen(runPen(theme, 1, true));
    m_generation->setPen(runPen(theme, 2, false));
    m_mean->setPen(runPen(theme, 3, false));
}

}  // namespace mitos::views
