// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a comparison: the best cost so far of each strategy, and cost against time.
#pragma once

#include "search/compare/summary.h"
#include "views/plot/plot_panel.h"

#include <QString>
#include <algorithm>
#include <vector>

class QCPGraph;
class QCPItemLine;
class QCPItemText;

namespace mitos::views {

/// A strategy as charts draw it.
struct ChartEntry {
    int group = 0;  ///< its place in the table
    QString label;
    CurveStyle style;
    std::vector<search::BandPoint> band;  ///< best cost so far
    double against = 0.0;                 ///< what the cost is drawn against; see ParetoChart
    double cost = 0.0;                    ///< the median of the best costs
    bool isFinished = false;              ///< `against` and `cost` are known
    int program = 0;
    double scale = 1.0;  ///< what costs were multiplied by: 1, or 100 / the cost of the program's start
};

/// Whether the entries are of several programs. Their costs are then drawn in per cent of each program's start.
[[nodiscard]] bool areOfSeveralPrograms(const std::vector<ChartEntry>& entries);
/// Scales the costs to per cent of `initial`; leaves them if that is 0 or not a number.
void makeRelative(ChartEntry& entry, double initial);
/// The unit of the costs of a chart with these entries, `unit` being that of the cost model.
[[nodiscard]] QString chartUnit(const std::vector<ChartEntry>& entries, const QString& unit);

/// A chart of which one entry may be selected, and is then drawn heavier. Labels stand beside what they name.
class CompareChart : public PlotPanel {
    Q_OBJECT
public:
    explicit CompareChart(QWidget* parent);

    void setEntries(std::vector<ChartEntry> entries);
    [[nodiscard]] const std::vector<ChartEntry>& entries() const { return m_entries; }
    void select(int group);  ///< -1: none
    [[nodiscard]] int selected() const { return m_selected; }
    /// The group drawn there; -1: none.
    [[nodiscard]] virtual int groupAt(const QPointF& place) const = 0;

Q_SIGNALS:
    void groupClicked(int group);

protected:
    /// Draws the entries.
    virtual void draw() = 0;
    /// Moves the labels to where there is room. Called before each replot, when axes have their pixels.
    virtual void placeLabels() = 0;
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& place) const override { return groupAt(place) >= 0; }
    void clicked(const QPointF& place) override { Q_EMIT groupClicked(groupAt(place)); }
    [[nodiscard]] QPen penOf(const Theme& theme, const ChartEntry& entry) const;

    std::vector<ChartEntry> m_entries;
    std::vector<QCPItemText*> m_labels;  ///< one for each entry
    int m_selected = -1;
};

/// Best cost so far over time, evaluations or iterations: the median over the seeds as a line, the quartiles as a band.
class BandChart final : public CompareChart {
    Q_OBJECT
public:
    explicit BandChart(QWidget* parent);

    void setAxis(search::Axis axis);
    [[nodiscard]] int groupAt(const QPointF& place) const override;

protected:
    [[nodiscard]] Extent extent() const override;
    void applyColors(const Theme& theme) override;
    void draw() override;
    void placeLabels() override;
    [[nodiscard]] QStringList valuesAt(double key) const override;

private:
    struct Curve {
        QCPGraph* lower = nullptr;
        QCPGraph* upper = nullptr;
        QCPGraph* median = nullptr;
    };
    std::vector<Curve> m_curves;  ///< one for each entry
};

/// Cost against the time until it was found, or against the cost under another model. A dashed line joins the strategies that no other
/// one beats in both.
class ParetoChart final : public CompareChart {
    Q_OBJECT
public:
    explicit ParetoChart(QWidget* parent);

    /// Costs are drawn against seconds, where shorter times than 0.1 ms are not told apart.
    void setAgainstTime();
    void setAgainst(const QString& title);  ///< of the horizontal axis
    [[nodiscard]] int groupAt(const QPointF& place) const override;
    /// Indices of the entries that no other entry of their program beats: program by program, from the left.
    [[nodiscard]] std::vector<std::size_t> front() const;

protected:
    [[nodiscard]] Extent extent() const override;
    void applyColors(const Theme& theme) override;
    void draw() override;
    void placeLabels() override;
    /// None: its points are named where they are.
    [[nodiscard]] QStringList valuesAt(double /*key*/) const override { return {}; }

private:
    [[nodiscard]] QPointF placeOf(const ChartEntry& entry) const;

    [[nodiscard]] double horizontalOf(const ChartEntry& entry) const { return std::max(entry.against, m_least); }

    double m_least = 0.0;
    std::vector<QCPGraph*> m_fronts;      ///< one for each program
    std::vector<QCPGraph*> m_points;      ///< one for each entry
    std::vector<QCPItemLine*> m_leaders;  ///< likewise; from a point to a label that stands apart
};

}  // namespace mitos::views
