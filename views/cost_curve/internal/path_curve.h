// SPDX-License-Identifier: GPL-3.0-or-later
// Cost of each state from the start to the current state, and of the states that redo leads to.
#pragma once

#include "views/document/document.h"
#include "views/plot/plot_panel.h"

#include <QTimer>
#include <optional>
#include <vector>

class QCPGraph;
class QCPItemText;

namespace mitos::views {

/// A click, or the Left and Right keys, make a state current.
class PathCurve : public PlotPanel {
    Q_OBJECT
public:
    explicit PathCurve(Document& document, QWidget* parent = nullptr);

    /// A long path is drawn in an event of its own, once for several calls.
    void refresh();
    /// The states along the x axis, and the index of the current one.
    [[nodiscard]] const std::vector<rewrite::StateId>& states() const { return m_states; }
    [[nodiscard]] std::size_t currentStep() const { return m_current; }
    /// The step at a position of the plot, within click distance.
    [[nodiscard]] std::optional<std::size_t> stepAt(const QPointF& place) const;
    /// Position of a step's point in the plot, in pixels.
    [[nodiscard]] QPointF placeOf(std::size_t step) const;

protected:
    [[nodiscard]] Extent extent() const override;
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& place) const override { return stepAt(place).has_value(); }
    void clicked(const QPointF& place) override { goTo(*stepAt(place)); }
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void goTo(std::size_t step);
    void draw();
    void describe();

    Document& m_document;
    QTimer m_drawing;
    std::vector<rewrite::StateId> m_states;
    std::vector<double> m_costs;  ///< of the states, as last drawn
    std::size_t m_current = 0;
    QCPGraph* m_walked;
    QCPGraph* m_ahead;
    QCPGraph* m_currentPoint;
    QCPGraph* m_peakPoint;
    QCPItemText* m_peakText;
};

}  // namespace mitos::views
