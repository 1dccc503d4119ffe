// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/internal/compare_charts.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace mitos::views {

namespace {

constexpr double CurveReach = 10.0;  // pixels from a click to what it means
constexpr double PointReach = 14.0;
constexpr double PointSize = 9.0;
constexpr double LeastTime = 1e-4;   // shorter times are not measured reliably
constexpr double WideRange = 100.0;  // from here on an axis is logarithmic
constexpr int LongestLabel = 26;
constexpr int BandOpacity = 38;
constexpr double LabelGap = 6.0;

/// A free place in the frame for a label of that size; on a higher ring it stands farther from its point.
std::optional<QRectF> freeBox(const QPointF& at, const QSizeF& size, int ring, const QRectF& frame,
                              const std::vector<QRectF>& taken) {
    const double away = ring * size.height();
    const double right = at.x() + PointSize / 2 + LabelGap / 2;
    const double left = at.x() - PointSize / 2 - LabelGap / 2 - size.width();
    const double middle = at.y() - size.height() / 2;
    const double above = at.y() - PointSize / 2 - size.height() - away;
    const double below = at.y() + PointSize / 2 + away;
    const double centred = at.x() - size.width() / 2;
    std::vector<QPointF> corners{{centred, above}, {centred, below}, {right, above},
                                 {right, below},   {left, above},    {left, below}};
    if (ring == 0) corners.insert(corners.begin(), {{right, middle}, {left, middle}});
    for (const QPointF& corner : corners) {
        const QRectF box(corner, size);
        if (frame.contains(box) &&
            std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(box); }))
            return box;
    }
    return std::nullopt;
}

}  // namespace

bool areOfSeveralPrograms(const std::vector<ChartEntry>& entries) {
    return std::ranges::any_of(
        entries, [&entries](const ChartEntry& entry) { return entry.program != entries.front().program; });
}

void makeRelative(ChartEntry& entry, double initial) {
    constexpr double Percent = 100.0;
    if (!std::isfinite(initial) || initial == 0.0) return;
    entry.scale = Percent / std::abs(initial);
    entry.cost *= entry.scale;
    for (search::BandPoint& point : entry.band) {
        for (double* const cost : {&point.y.least, &point.y.lower, &point.y.median, &point.y.upper, &point.y.most})
            *cost *= entry.scale;
    }
}

QString chartUnit(const std::vector<ChartEntry>& entries, const QString& unit) {
    return areOfSeveralPrograms(entries) ? CompareChart::tr("% of start") : unit;
}

CompareChart::CompareChart(QWidget* parent) : PlotPanel(parent) {
    m_plot->legend->setVisible(false);
    connect(m_plot, &QCustomPlot::afterLayout, this, [this] { placeLabels(); });
}

void CompareChart::setEntries(std::vector<ChartEntry> entries) {
    m_entries = std::move(entries);
    for (QCPItemText* label : m_labels) m_plot->removeItem(label);
    m_labels.clear();
    m_plot->clearGraphs();
    for (const ChartEntry& entry : m_entries) {
        auto* label = new QCPItemText(m_plot);
        label->setText(shortened(entry.label, LongestLabel));
        label->setClipToAxisRect(false);
        label->setLayer(QStringLiteral("overlay"));  // above the lines
        label->position->setType(QCPItemPosition::ptAbsolute);
        label->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        m_labels.push_back(label);
    }
    draw();
    updateColors();
}

void CompareChart::select(int group) {
    if (std::exchange(m_selected, group) != group) updateColors();
}

QPen CompareChart::penOf(const Theme& theme, const ChartEntry& entry) const {
    return pen(theme, entry.style, entry.group == m_selected);
}

void CompareChart::applyColors(const Theme& theme) {
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const bool isSelected = m_entries[i].group == m_selected;
        QFont strong = font();
        if (isSelected) strong.setWeight(QFont::DemiBold);
        m_labels[i]->setFont(strong);
        m_labels[i]->setColor(theme.category(m_entries[i].style.colour));
        m_labels[i]->setBrush(theme.plotBackground());
    }
}

// --- best so far -----------------------------------------------------------------------------------------------------------

BandChart::BandChart(QWidget* parent) : CompareChart(parent) {
    setUpWidget(m_plot, "bandPlot", {}, tr("Best cost so far of each strategy"));
    setAxis(search::Axis::Seconds);
    updateColors();
}

void BandChart::setAxis(search::Axis axis) {
    struct AxisLook {
        QString label;
        Quantity quantity;
    };
    const auto look = [axis]() -> AxisLook {
        switch (axis) {
            case search::Axis::Evaluations: return {tr("expressions evaluated"), Quantity::Evaluations};
            case search::Axis::Iterations: return {tr("iterations of the e-graph"), Quantity::Iterations};
            case search::Axis::Seconds: break;
        }
        return {tr("seconds"), Quantity::Seconds};
    }();
    if (m_plot->xAxis->label() != look.label) resetZoom();
    m_plot->xAxis->setLabel(look.label);
    setQuantity(look.quantity);
}

/// The median of each strategy, with its quartiles where seeds differ.
QStringList BandChart::valuesAt(double key) const {
    QStringList lines;
    for (const ChartEntry& entry : m_entries) {
        const auto next = std::ranges::upper_bound(entry.band, key, {}, &search::BandPoint::x);
        if (next == entry.band.begin()) continue;
        const Spread& here = std::prev(next)->y;
        const QString median = tr("%1: %2").arg(entry.label, costText(here.median));
        lines << (isNoChange(here.upper - here.lower, here.median)
                      ? median
                      : tr("%1 (%2 to %3)").arg(median, costText(here.lower), costText(here.upper)));
    }
    return lines;
}

void BandChart::draw() {
    m_curves.clear();
    QFont strong = font();
    strong.setWeight(QFont::DemiBold);  // of the selected one
    const QFontMetrics metrics(strong);
    int widest = 0;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const ChartEntry& entry = m_entries[i];
        Curve curve{m_plot->addGraph(), m_plot->addGraph(), nullptr};
        for (const search::BandPoint& point : entry.band) {
            curve.lower->addData(point.x, point.y.lower);
            curve.upper->addData(point.x, point.y.upper);
        }
        curve.upper->setChannelFillGraph(curve.lower);
        curve.median = m_plot->addGraph();
        for (const search::BandPoint& point : entry.band) curve.median->addData(point.x, point.y.median);
        for (QCPGraph* graph : {curve.lower, curve.upper, curve.median}) graph->setLineStyle(QCPGraph::lsStepLeft);
        curve.lower->setName(tr("%1, lower quartile").arg(entry.label));
        curve.upper->setName(tr("%1, upper quartile").arg(entry.label));
        curve.median->setName(tr("%1, median").arg(entry.label));
        m_curves.push_back(curve);
        if (!entry.band.empty()) widest = std::max(widest, metrics.horizontalAdvance(m_labels[i]->text()));
    }
    m_plot->axisRect()->setMinimumMargins(QMargins(0, 8, widest + static_cast<int>(3 * LabelGap), 0));
}

PlotPanel::Extent BandChart::extent() const {
    Extent all;
    double low = std::numeric_limits<double>::max();
    double high = 0.0;
    for (const ChartEntry& entry : m_entries) {
        for (const search::BandPoint& point : entry.band) {
            all.include(point.y.lower);
            all.include(point.y.upper);
            low = std::min(low, point.x);
            high = std::max(high, point.x);
        }
    }
    if (high > 0.0) all.highKey = high;
    if (high > low * WideRange) all.lowKey = low;
    return all;
}

void BandChart::applyColors(const Theme& theme) {
    CompareChart::applyColors(theme);
    for (std::size_t i = 0; i < m_curves.size(); ++i) {
        const QPen curvePen = penOf(theme, m_entries[i]);
        QColor fill = curvePen.color();
        fill.setAlpha(BandOpacity);
        m_curves[i].median->setPen(curvePen);
        m_curves[i].lower->setPen(Qt::NoPen);
        m_curves[i].upper->setPen(Qt::NoPen);
        m_curves[i].upper->setBrush(fill);
    }
}

/// Labels stand at the ends of the lines, as near to them as they fit above each other.
void BandChart::placeLabels() {
    const QRect frame = m_plot->axisRect()->rect();
    const double height = fontMetrics().height();
    struct Place {
        std::size_t entry;
        double y;
    };
    std::vector<Place> places;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const bool isDrawn = !m_entries[i].band.empty();
        m_labels[i]->setVisible(isDrawn);
        if (isDrawn) places.push_back({i, m_plot->yAxis->coordToPixel(m_entries[i].band.back().y.median)});
    }
    std::ranges::stable_sort(places, {}, &Place::y);
    const auto room = static_cast<std::size_t>(std::max(1.0, frame.height() / height));
    while (places.size() > room) {  // the table names them too
        m_labels[places.back().entry]->setVisible(false);
        places.pop_back();
    }
    double next = frame.top() + height / 2;
    for (Place& place : places) {
        place.y = std::max(place.y, next);
        next = place.y + height;
    }
    double last = frame.bottom() + height / 2;
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
        place->y = std::min(place->y, last);
        last = place->y - height;
    }
    for (const Place& place : places) m_labels[place.entry]->position->setCoords(frame.right() + LabelGap, place.y);
}

int BandChart::groupAt(const QPointF& place) const {
    int nearest = -1;
    double distance = CurveReach;
    for (std::size_t i = 0; i < m_curves.size(); ++i) {
        const double here = m_curves[i].median->selectTest(place, false);
        if (here >= 0 && here < distance) {
            distance = here;
            nearest = m_entries[i].group;
        }
        if (m_labels[i]->visible() && m_labels[i]->selectTest(place, false) == 0.0) return m_entries[i].group;
    }
    return nearest;
}

// --- cost against time -----------------------------------------------------------------------------------------------------

ParetoChart::ParetoChart(QWidget* parent) : CompareChart(parent) {
    setUpWidget(m_plot, "paretoPlot", {}, tr("Cost against time"));
    setAgainstTime();
    updateColors();
}

void ParetoChart::setAgainstTime() {
    setAgainst(tr("seconds to within 1 % of the best"));
    setQuantity(Quantity::Seconds);
    m_least = LeastTime;
}

void ParetoChart::setAgainst(const QString& title) {
    if (m_plot->xAxis->label() != title) resetZoom();  // the part in view was of another measure
    setQuantity(Quantity::Other);
    m_least = std::numeric_limits<double>::lowest();
    m_plot->xAxis->setLabel(title);
}

std::vector<std::size_t> ParetoChart::front() const {
    std::vector<std::size_t> order(m_entries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [this](std::size_t i) { return !m_entries[i].isFinished; });
    std::ranges::stable_sort(order, [this](std::size_t a, std::size_t b) {
        return std::tie(m_entries[a].program, m_entries[a].against, m_entries[a].cost) <
               std::tie(m_entries[b].program, m_entries[b].against, m_entries[b].cost);
    });
    std::vector<std::size_t> best;
    for (const std::size_t i : order) {
        const bool isFirst = best.empty() || m_entries[best.back()].program != m_entries[i].program;
        if (isFirst || m_entries[i].cost < m_entries[best.back()].cost) best.push_back(i);
    }
    return best;
}

void ParetoChart::draw() {
    m_points.clear();
    for (QCPItemLine* leader : m_leaders) m_plot->removeItem(leader);
    m_leaders.clear();
    m_fronts.clear();
    std::optional<int> program;
    for (const std::size_t i : front()) {
        if (std::exchange(program, m_entries[i].program) != m_entries[i].program) {
            m_fronts.push_back(m_plot->addGraph());
            m_fronts.back()->setLineStyle(QCPGraph::lsStepLeft);
            m_fronts.back()->setName(tr("front"));
        }
        m_fronts.back()->addData(horizontalOf(m_entries[i]), m_entries[i].cost);
    }
    for (const ChartEntry& entry : m_entries) {
        QCPGraph* const point = m_plot->addGraph();
        point->setLineStyle(QCPGraph::lsNone);
        point->setName(entry.label);
        if (entry.isFinished) point->addData(horizontalOf(entry), entry.cost);
        m_points.push_back(point);
        auto* leader = new QCPItemLine(m_plot);
        leader->setLayer(QStringLiteral("overlay"));
        for (QCPItemPosition* end : {leader->start, leader->end}) end->setType(QCPItemPosition::ptAbsolute);
        m_leaders.push_back(leader);
    }
    m_plot->axisRect()->setMinimumMargins(QMargins(0, 8, static_cast<int>(2 * LabelGap), 0));
}

PlotPanel::Extent ParetoChart::extent() const {
    Extent all;
    double low = std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::lowest();
    for (const ChartEntry& entry : m_entries) {
        if (!entry.isFinished) continue;
        all.include(entry.cost);
        low = std::min(low, horizontalOf(entry));
        high = std::max(high, horizontalOf(entry));
    }
    if (high < low) return all;
    all.highKey = high;
    if (low > 0.0 && high > low * WideRange) all.lowKey = low;
    return all;
}

void ParetoChart::applyColors(const Theme& theme) {
    CompareChart::applyColors(theme);
    for (QCPGraph* front : m_fronts) front->setPen(QPen(theme.faintText(), 1, Qt::DashLine));
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const QColor colour = theme.category(m_entries[i].style.colour);
        const bool isSelected = m_entries[i].group == m_selected;
        m_leaders[i]->setPen(QPen(colour, 1));
        m_points[i]->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle,
                                                     QPen(isSelected ? theme.plotText() : colour, 2), QBrush(colour),
                                                     isSelected ? PointSize + 3 : PointSize));
    }
}

QPointF ParetoChart::placeOf(const ChartEntry& entry) const {
    return {m_plot->xAxis->coordToPixel(horizontalOf(entry)), m_plot->yAxis->coordToPixel(entry.cost)};
}

/// Beside the point, where neither a point nor a label stands; farther away, with a line to the point, where there is no such place.
void ParetoChart::placeLabels() {
    constexpr int MostRings = 8;
    const QRectF frame(m_plot->axisRect()->rect());
    std::vector<QRectF> taken;
    for (const ChartEntry& entry : m_entries) {
        if (!entry.isFinished) continue;
        const QPointF at = placeOf(entry);
        taken.emplace_back(at.x() - PointSize / 2, at.y() - PointSize / 2, PointSize, PointSize);
    }
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        m_labels[i]->setVisible(false);
        m_leaders[i]->setVisible(false);
        if (!m_entries[i].isFinished) continue;
        const QFontMetricsF metrics(m_labels[i]->font());
        const QSizeF size(metrics.horizontalAdvance(m_labels[i]->text()) + 2, metrics.height());
        const QPointF at = placeOf(m_entries[i]);
        for (int ring = 0; ring <= MostRings; ++ring) {
            const auto box = freeBox(at, size, ring, frame, taken);
            if (!box) continue;
            taken.push_back(*box);
            m_labels[i]->position->setCoords(box->left(), box->center().y());
            m_labels[i]->setVisible(true);
            m_leaders[i]->setVisible(ring > 0);
            m_leaders[i]->start->setCoords(at);
            m_leaders[i]->end->setCoords(std::clamp(at.x(), box->left(), box->right()),
                                         box->center().y() < at.y() ? box->bottom() : box->top());
            break;
        }
    }
}

int ParetoChart::groupAt(const QPointF& place) const {
    int nearest = -1;
    double distance = PointReach;
    for (const ChartEntry& entry : m_entries) {
        if (!entry.isFinished) continue;
        const QPointF offset = placeOf(entry) - place;
        if (const double here = std::hypot(offset.x(), offset.y()); here < distance) {
            distance = here;
            nearest = entry.group;
        }
    }
    return nearest;
}

}  // namespace mitos::views
