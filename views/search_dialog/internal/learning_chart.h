// SPDX-License-Identifier: GPL-3.0-or-later
// Learning curves: what trainings have learned, over the seconds of training or its steps.
#pragma once

#include "search/learning_curve.h"
#include "views/plot/plot_panel.h"

#include <optional>
#include <vector>

class QCPGraph;

namespace mitos::views {

struct LearningCurve {
    QString name;
    std::vector<search::CurvePoint> points;
    int number = 1;  ///< decides colour and dashes
};

enum class LearningMeasure {
    Improvement,  ///< in percent of the cost without learning; above 0 is better
    Reward,       ///< minus CurvePoint::reward: a loss, or a cost; points without one are left out
};

class LearningChart : public PlotPanel {
    Q_OBJECT
public:
    explicit LearningChart(QWidget* parent = nullptr);

    void show(std::vector<LearningCurve> curves);
    /// `title` names the axis, with its unit.
    void setMeasure(LearningMeasure measure, const QString& title);
    /// Over the steps instead of the seconds; `title` names the axis.
    void setOverSteps(bool overSteps, const QString& title);
    [[nodiscard]] int curveCount() const { return static_cast<int>(m_curves.size()); }
    [[nodiscard]] int points() const;

protected:
    [[nodiscard]] Extent extent() const override { return m_extent; }
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& /*place*/) const override { return false; }
    void clicked(const QPointF& /*place*/) override {}

private:
    void draw();
    [[nodiscard]] std::optional<double> valueOf(const search::CurvePoint& point) const;

    std::vector<LearningCurve> m_curves;
    std::vector<QCPGraph*> m_graphs;
    LearningMeasure m_measure = LearningMeasure::Improvement;
    bool m_overSteps = false;
    Extent m_extent;
};

}  // namespace mitos::views
