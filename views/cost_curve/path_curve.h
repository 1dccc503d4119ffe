// SPDX-License-Identifier: GPL-3.0-or-later
// Cost of each state on the way from the start to the current state, and on to where redo leads.
#pragma once

#include "views/document/document.h"
#include "views/plot/plot_panel.h"

#include <optional>
#include <vector>

class QCPGraph;
class QCPItemText;
class QCPItemTracer;

namespace mitos::views {

/// A click, or Left and Right, makes a state current.
class PathCurve : public PlotPanel {
    Q_OBJECT
public:
    explicit PathCurve(Document& document, QWidget* parent = nullptr);

    void refresh();
    /// The states along the x axis, and which of them is current.
    [[nodiscard]] const std::vector<rewrite::StateId>& states() const { return m_states; }
    [[nodiscard]] std::size_t currentStep() const { return m_current; }
    /// Step under a place of the plot, within reach of a click.
    [[nodiscard]] std::optional<std::size_t> stepAt(const QPointF& place) const;
    /// Place of a step's point in the plot, in pixels.
    [[nodiscard]] QPointF placeOf(std::size_t step) const;

protected:
    [[nodiscard]] Extent extent() const override;
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& place) const override { return stepAt(place).has_value(); }
    void clicked(const QPointF& place) override { goTo(*stepAt(place)); }
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void goTo(std::size_t step);
    void describe();

    Document& m_document;
    std::vector<rewrite::StateId> m_states;
    std::vector<double> m_costs;  ///< of the states, as they were drawn
    std::size_t m_current = 0;
    QCPGraph* m_walked;
    QCPGraph* m_ahead;
    QCPGraph* m_currentPoint;
    QCPGraph* m_peakPoint;
    QCPItemText* m_peakText;
};

}  // namespace mitos::views
