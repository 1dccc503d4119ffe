// SPDX-License-Identifier: GPL-3.0-or-later
// Learning curves: the improvement over the seconds of training.
#pragma once

#include "search/learning_curve.h"
#include "views/plot/plot_panel.h"

#include <vector>

class QCPGraph;

namespace mitos::views {

struct LearningCurve {
    QString name;
    std::vector<search::CurvePoint> points;
    int number = 1;  ///< decides colour and dashes
};

/// Improvements are in percent of the cost with uniform mutants; above 0 is better.
class LearningChart : public PlotPanel {
    Q_OBJECT
public:
    explicit LearningChart(QWidget* parent = nullptr);

    void show(std::vector<LearningCurve> curves);
    /// Over the steps instead of the seconds.
    void setOverSteps(bool overSteps);
    [[nodiscard]] int curveCount() const { return static_cast<int>(m_curves.size()); }
    [[nodiscard]] int points() const;

protected:
    [[nodiscard]] Extent extent() const override { return m_extent; }
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& /*place*/) const override { return false; }
    void clicked(const QPointF& /*place*/) override {}

private:
    void draw();

    std::vector<LearningCurve> m_curves;
    std::vector<QCPGraph*> m_graphs;
    bool m_overSteps = false;
    Extent m_extent;
};

}  // namespace mitos::views
