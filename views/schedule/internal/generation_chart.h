// SPDX-License-Identifier: GPL-3.0-or-later
// The generations of a genetic search: the best and the mean cost of each, live.
#pragma once

#include "search/run.h"
#include "views/plot/plot_panel.h"

#include <vector>

class QCPGraph;

namespace mitos::views {

class GenerationChart : public PlotPanel {
    Q_OBJECT
public:
    explicit GenerationChart(QWidget* parent = nullptr);

    /// Draws the generations among the events; none: nothing.
    void show(const std::vector<search::SearchEvent>& events, const QString& unit);
    [[nodiscard]] int points() const;

protected:
    [[nodiscard]] Extent extent() const override { return m_extent; }
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& /*place*/) const override { return false; }
    void clicked(const QPointF& /*place*/) override {}

private:
    QCPGraph* m_best;
    QCPGraph* m_generation;
    QCPGraph* m_mean;
    Extent m_extent;
};

}  // namespace mitos::views
