// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient/internal/ablation_chart.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace mitos::views {

namespace {

using Variant = search::experiments::AblationTime::Variant;

constexpr double BarWidth = 0.5;
constexpr double RoomAbove = 1.45;             // for the labels, of a linear axis
constexpr double LogarithmicRoomAbove = 12.0;  // and of a logarithmic one
constexpr double LogarithmicFactor = 100.0;    // from this range on the axis is logarithmic
constexpr double LogarithmicBase = 0.3;        // of the smallest time
constexpr double KeyMargin = 1.15;             // that PlotPanel adds on the right
constexpr double WhiskerWidth = 12.0;

struct Unit {
    double factor;
    const char* name;
};

/// The unit in which a time reads best.
Unit unitOf(double seconds) {
    constexpr std::array<Unit, 4> Units{{{1.0, "s"}, {1e3, "ms"}, {1e6, "µs"}, {1e9, "ns"}}};
    for (const Unit& unit : Units) {
        if (seconds * unit.factor >= 1.0) return unit;
    }
    return Units.back();
}

}  // namespace

QString variantTitle(Variant variant) {
    switch (variant) {
        case Variant::Primal: return AblationChart::tr("function");
        case Variant::Reverse: return AblationChart::tr("reverse mode");
        case Variant::Segments: return AblationChart::tr("segments, loops kept");
        case Variant::Coarsened: return AblationChart::tr("coarsened");
    }
    return {};
}

QString timeSummary(const codegen::ProgramTime& time, double primal) {
    QString text = AblationChart::tr("%1 (%2 to %3)")
                       .arg(durationText(time.call.seconds.median), durationText(time.call.likely.low),
                            durationText(time.call.likely.high));
    if (primal > 0.0)
        text += AblationChart::tr(", × %1 of the function")
                    .arg(QLocale().toString(time.call.seconds.median / primal, 'f', 2));
    return text;
}

AblationChart::AblationChart(QWidget* parent) : PlotPanel(parent) {
    setUpWidget(m_plot, "gradientTimesPlot", {}, tr("Time of an evaluation"));
    updateColors();
}

void AblationChart::clear() {
    for (const Bar& bar : m_bars) {
        m_plot->removeItem(bar.label);
        m_plot->removePlottable(bar.spread);
        m_plot->removePlottable(bar.bar);
        m_plot->removeGraph(bar.point);
    }
    m_bars.clear();
}

void AblationChart::setTimes(const std::vector<search::experiments::AblationTime>& times) {
    clear();
    m_low = std::numeric_limits<double>::max();
    m_high = 0.0;
    for (const search::experiments::AblationTime& each : times) {
        if (!each.time.problem.empty()) continue;
        m_low = std::min(m_low, each.time.call.likely.low);
        m_high = std::max(m_high, each.time.call.likely.high);
    }
    const Unit unit = unitOf(m_high);
    m_low *= unit.factor;
    m_high *= unit.factor;
    m_isLogarithmic = m_high > LogarithmicFactor * m_low;
    const bool hasPrimal = !times.empty() && times.front().time.problem.empty();
    const double primal = hasPrimal ? times.front().time.call.seconds.median : 0.0;
    const QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText);
    for (const search::experiments::AblationTime& each : times) {
        if (!each.time.problem.empty()) continue;
        const double key = static_cast<double>(m_bars.size()) + 0.5;
        const double value = each.time.call.seconds.median * unit.factor;
        const QString title = variantTitle(each.variant);
        names->addTick(key, title);
        Bar bar{new QCPBars(m_plot->xAxis, m_plot->yAxis), m_plot->addGraph(),
                new QCPErrorBars(m_plot->xAxis, m_plot->yAxis), new QCPItemText(m_plot)};
        bar.bar->setWidth(BarWidth);
        bar.bar->setBaseValue(m_isLogarithmic ? LogarithmicBase * m_low : 0.0);
        bar.bar->addData(key, value);
        bar.point->setName(title);
        bar.point->setLineStyle(QCPGraph::lsNone);
        bar.point->addData(key, value);
        bar.spread->setDataPlottable(bar.point);
        bar.spread->setWhiskerWidth(WhiskerWidth);
        bar.spread->addData(value - each.time.call.likely.low * unit.factor,
                            each.time.call.likely.high * unit.factor - value);
        bar.label->position->setCoords(key, each.time.call.likely.high * unit.factor);
        bar.label->setPositionAlignment(Qt::AlignHCenter | Qt::AlignBottom);
        bar.label->setPadding(QMargins(0, 0, 0, 4));
        QString text = durationText(each.time.call.seconds.median);
        if (primal > 0.0 && each.variant != Variant::Primal)
            text += tr("\n× %1").arg(QLocale().toString(each.time.call.seconds.median / primal, 'f', 2));
        bar.label->setText(text);
        m_bars.push_back(bar);
    }
    m_plot->xAxis->setTicker(names);
    m_plot->yAxis->setLabel(tr("time of an evaluation (%1)").arg(QString::fromUtf8(unit.name)));
    setFromZero(!m_isLogarithmic);
    setLogarithmic(m_isLogarithmic);
    resetZoom();
    updateColors();
}

PlotPanel::Extent AblationChart::extent() const {
    Extent all;
    if (m_bars.empty()) return all;
    all.highKey = static_cast<double>(m_bars.size()) / KeyMargin;
    all.include(m_isLogarithmic ? LogarithmicBase * m_low : m_low);
    all.include(m_high * (m_isLogarithmic ? LogarithmicRoomAbove : RoomAbove));
    return all;
}

void AblationChart::applyColors(const Theme& theme) {
    int index = 0;
    for (const Bar& bar : m_bars) {
        bar.bar->setPen(Qt::NoPen);
        bar.bar->setBrush(theme.category(index++));
        bar.spread->setPen(QPen(theme.plotText(), 1));
        bar.label->setColor(theme.plotText());
        bar.label->setFont(font());
    }
}

}  // namespace mitos::views
