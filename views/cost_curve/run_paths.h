// SPDX-License-Identifier: GPL-3.0-or-later
// The way each run found: the cost of every state from where it began to its best one, and the peak it led over.
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

    /// Draws the ways of the document's runs, as they stand in the history now.
    void refresh();
    [[nodiscard]] std::size_t pathCount() const { return m_paths.size(); }
    /// States of a run's way, start first; empty for runs that found none.
    [[nodiscard]] std::vector<rewrite::StateId> statesOf(RunNumber run) const;
    /// The step where the way costs most; nothing if it never costs more than where it begins.
    [[nodiscard]] std::optional<std::size_t> peakOf(RunNumber run) const;
    /// Place of a step's point in the plot, in pixels.
    [[nodiscard]] QPointF placeOf(RunNumber run, std::size_t step) const;

protected:
    [[nodiscard]] Extent extent() const override;
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& place) const override { return pointAt(place).has_value(); }
    void clicked(const QPointF& place) override;

private:
    struct Path {
        std::vector<rewrite::StateId> states;
        std::vector<double> costs;  ///< of the states, as they were drawn
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
