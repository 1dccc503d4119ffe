// SPDX-License-Identifier: GPL-3.0-or-later
// The path that each run found: the cost of every state from its start to its best state, and the peak between them.
#pragma once

#include "views/document/document.h"
#include "views/plot/plot_panel.h"

#include <map>
#include <optional>
#include <vector>

class QCPGraph;
class QCPItemText;

namespace mitos::views {

/// A click on a point selects its run and makes the state current.
class RunPaths : public PlotPanel {
    Q_OBJECT
public:
    RunPaths(Document& document, Selection& selection, QWidget* parent = nullptr);

    /// Draws the paths of the document's runs from the current history.
    void refresh();
    [[nodiscard]] std::size_t pathCount() const { return m_paths.size(); }
    /// States of a run's path, start first; empty for runs that found none.
    [[nodiscard]] std::vector<rewrite::StateId> statesOf(RunNumber run) const;
    /// The step where the path costs most; nothing if it never costs more than its start.
    [[nodiscard]] std::optional<std::size_t> peakOf(RunNumber run) const;
    /// Position of a step's point in the plot, in pixels.
    [[nodiscard]] QPointF placeOf(RunNumber run, std::size_t step) const;

protected:
    [[nodiscard]] Extent extent() const override;
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& place) const override { return pointAt(place).has_value(); }
    void clicked(const QPointF& place) override;

private:
    struct Path {
        std::vector<rewrite::StateId> states;
        std::vector<double> costs;  ///< of the states, as last drawn
        std::optional<std::size_t> peak;
        QCPGraph* line = nullptr;
        QCPGraph* peakPoint = nullptr;
        QCPItemText* peakText = nullptr;
    };
    struct Point {
        RunNumber run = 0;
        std::size_t step = 0;
    };
    void draw(const Run& run);
    [[nodiscard]] std::optional<Point> pointAt(const QPointF& place) const;

    Document& m_document;
    Selection& m_selection;
    std::map<RunNumber, Path> m_paths;
};

}  // namespace mitos::views
