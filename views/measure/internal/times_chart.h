// SPDX-License-Identifier: GPL-3.0-or-later
// The times of operations under two cost profiles, a point an operation; on the dashed line both are equal.
#pragma once

#include "views/plot/plot_panel.h"

#include <QString>
#include <vector>

class QCPGraph;

namespace mitos::views {

class TimesChart final : public PlotPanel {
    Q_OBJECT
public:
    struct Point {
        int row = 0;  ///< of the table
        double time = 0.0;
        double other = 0.0;
        bool isUsed = false;  ///< by the open program
    };

    explicit TimesChart(QWidget* parent);

    void setPoints(std::vector<Point> points, const QString& title, const QString& otherTitle);
    [[nodiscard]] const std::vector<Point>& points() const { return m_points; }
    void select(int row);  ///< -1: none
    /// The row of the point there; -1: none.
    [[nodiscard]] int rowAt(const QPointF& place) const;

Q_SIGNALS:
    void rowClicked(int row);

protected:
    [[nodiscard]] Extent extent() const override;
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& place) const override { return rowAt(place) >= 0; }
    void clicked(const QPointF& place) override { Q_EMIT rowClicked(rowAt(place)); }
    [[nodiscard]] QStringList valuesAt(double /*key*/) const override { return {}; }

private:
    void draw();

    std::vector<Point> m_points;
    int m_selected = -1;
    QCPGraph* m_equal;  ///< the line on which both times are equal
    QCPGraph* m_others;
    QCPGraph* m_used;
    QCPGraph* m_chosen;
};

}  // namespace mitos::views
