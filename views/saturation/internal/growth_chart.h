// SPDX-License-Identifier: GPL-3.0-or-later
// E-nodes and classes over the iterations of a saturation run.
#pragma once

#include "views/document/egraph_document.h"
#include "views/plot/plot_panel.h"

class QCPGraph;
class QCPItemStraightLine;

namespace mitos::views {

/// A click shows the snapshot nearest to that iteration.
class GrowthChart : public PlotPanel {
    Q_OBJECT
public:
    explicit GrowthChart(EGraphDocument& document, QWidget* parent = nullptr);

    /// Draws the data that the report contains so far.
    void refresh();
    /// Moves the mark to the iteration shown.
    void showIteration();
    [[nodiscard]] int points() const;

protected:
    [[nodiscard]] Extent extent() const override;
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& place) const override;
    void clicked(const QPointF& place) override;

private:
    EGraphDocument& m_document;
    QCPGraph* m_nodes;
    QCPGraph* m_classes;
    QCPItemStraightLine* m_mark;
};

}  // namespace mitos::views
