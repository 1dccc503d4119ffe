// SPDX-License-Identifier: GPL-3.0-or-later
// A plot in the theme's colours.
#include "views/plot/plot_panel.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <QEvent>
#include <QMouseEvent>
#include <algorithm>
#include <array>
#include <cmath>

namespace mitos::views {

namespace {

constexpr int ReplotMs = 50;
constexpr double Margin = 0.08;  // fraction of the extent, above and below the curve
constexpr double LogarithmicMargin = 0.04;
constexpr std::array<Qt::PenStyle, PlotPanel::DashPatterns> PenStyles{Qt::SolidLine, Qt::DashLine, Qt::DotLine,
                                                                      Qt::DashDotLine};

/// Digits needed to distinguish the marks of an axis, whose range may be small relative to its values.
int digitsFor(double low, double high) {
    const double size = std::max(std::abs(low), std::abs(high));
    if (!(high > low) || size <= 0) return 6;
    return std::clamp(static_cast<int>(std::ceil(std::log10(size / (high - low)))) + 3, 6, 15);
}

/// Marks with SI prefixes, "31.88 k", in as many digits as distinguish them.
template <typename Ticker>
class PrefixTicker final : public Ticker {
protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar /*format*/, int precision) override {
        return costText(tick, locale, std::max(4, precision));
    }
};

}  // namespace

PlotPanel::PlotPanel(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this)) {
    fillColumn(this, {m_plot}, {.margins = NoMargins});
    m_plot->setNotAntialiasedElements(QCP::aeAxes | QCP::aeGrid);
    // Draws lines piece by piece: joining a long, wide polyline takes many times as long.
    m_plot->setPlottingHints(QCP::phCacheLabels | QCP::phFastPolylines);
    m_plot->setAttribute(Qt::WA_OpaquePaintEvent);
    m_plot->axisRect()->setAutoMargins(QCP::msAll);
    m_plot->yAxis->setLabel(tr("cost"));
    m_plot->yAxis->setNumberFormat(QStringLiteral("g"));
    m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new PrefixTicker<QCPAxisTicker>));
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) axis->setSubTicks(false);
    m_plot->setMouseTracking(true);
    m_plot->installEventFilter(this);
    m_timer.setSingleShot(true);
    m_timer.setInterval(ReplotMs);
    connect(&m_timer, &QTimer::timeout, this, &PlotPanel::replot);
    whenShown(this, Qt::DirectConnection, [this] {
        if (m_stale) requestReplot();
    });
}

void PlotPanel::setLogarithmic(bool logarithmic) {
    m_logarithmic = logarithmic;
    requestReplot();
}

void PlotPanel::setFromZero(bool fromZero) {
    m_fromZero = fromZero;
    requestReplot();
}

void PlotPanel::setUnit(const QString& unit) {
    const QString label = unit.isEmpty() ? tr("cost") : tr("cost (%1)").arg(unit);
    if (m_plot->yAxis->label() == label) return;
    m_plot->yAxis->setLabel(label);
    requestReplot();
}

void PlotPanel::Extent::include(double cost) {
    if (!std::isfinite(cost)) return;
    const bool first = lowCost > highCost;
    lowCost = first ? cost : std::min(lowCost, cost);
    highCost = first ? cost : std::max(highCost, cost);
}

QPen PlotPanel::pen(const Theme& theme, CurveStyle style, bool selected) {
    QPen pen(theme.category(style.colour));
    pen.setStyle(PenStyles[static_cast<std::size_t>(style.dash) % PenStyles.size()]);
    pen.setWidthF(selected ? 3.5 : 2.0);
    return pen;
}

void PlotPanel::countSteps() {
    const QSharedPointer<QCPAxisTickerFixed> wholeSteps(new QCPAxisTickerFixed);
    wholeSteps->setTickStep(1.0);
    wholeSteps->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    m_plot->xAxis->setTicker(wholeSteps);
    m_plot->xAxis->setSubTicks(false);
}

bool PlotPanel::hasOnlyPositiveCosts() const {
    const Extent all = extent();
    return all.lowCost <= all.highCost && all.lowCost > 0;
}

void PlotPanel::requestReplot() {
    m_stale = true;
    if (isVisible() && !m_timer.isActive()) m_timer.start();
}

void PlotPanel::replot() {
    if (m_plot->size().isEmpty()) return;  // in a part that is folded; its next size draws it
    m_stale = false;
    fitAxes();
    ++m_replots;
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void PlotPanel::fitAxes() {
    const Extent all = extent();
    const bool logarithmic = m_logarithmic && hasOnlyPositiveCosts();
    const bool isLogarithmic = m_plot->yAxis->scaleType() == QCPAxis::stLogarithmic;
    if (logarithmic != isLogarithmic) {
        m_plot->yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    }
    if (all.lowCost > all.highCost) return;
    fitCosts(all, logarithmic);
    fitKeys(all);
}

void PlotPanel::fitKeys(const Extent& all) {
    const bool isLogarithmic = m_plot->xAxis->scaleType() == QCPAxis::stLogarithmic;
    if ((all.lowKey > 0.0) != isLogarithmic) {
        m_plot->xAxis->setScaleType(all.lowKey > 0.0 ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        m_plot->xAxis->setTicker(all.lowKey > 0.0 ? QSharedPointer<QCPAxisTicker>(new PrefixTicker<QCPAxisTickerLog>)
                                                  : QSharedPointer<QCPAxisTicker>(new PrefixTicker<QCPAxisTicker>));
    }
    if (all.lowKey > 0.0) {
        const double factor = std::pow(std::max(all.highKey / all.lowKey, 1.1), LogarithmicMargin);
        m_plot->xAxis->setRange(all.lowKey / factor, all.highKey * factor);
        m_shownKeys = 0.0;
        return;
    }
    // While data arrive, the axis grows in steps instead of with every point.
    if (all.highKey > m_shownKeys || all.highKey < 0.5 * m_shownKeys) m_shownKeys = all.highKey * 1.15;
    m_plot->xAxis->setRange(-0.02 * m_shownKeys, m_shownKeys);
}

void PlotPanel::fitCosts(const Extent& all, bool logarithmic) {
    double low = all.lowCost;
    double high = all.highCost;
    if (logarithmic) {
        const double factor = std::max(1.0 + 1e-6, std::pow(high / low, Margin));
        low /= factor;
        high *= factor;
    } else {
        if (m_fromZero) low = std::min(0.0, low);
        // A constant curve gets a margin proportional to its value.
        const double room = high > low ? Margin * (high - low) : std::max(0.05 * std::abs(high), 0.5);
        low -= m_fromZero && low == 0.0 ? 0.0 : room;
        high += room;
    }
    m_plot->yAxis->setRange(low, high);
    m_plot->yAxis->setNumberPrecision(digitsFor(low, high));
    // Marks at powers of ten are useful only if there are several.
    const bool decades = logarithmic && high / low >= 100.0;
    m_plot->yAxis->setTicker(decades ? QSharedPointer<QCPAxisTicker>(new PrefixTicker<QCPAxisTickerLog>)
                                     : QSharedPointer<QCPAxisTicker>(new PrefixTicker<QCPAxisTicker>));
}

void PlotPanel::updateColors() {
    const Theme theme(palette());
    m_plot->setBackground(QBrush(theme.plotBackground()));
    const QPen axis(theme.plotGrid());
    for (QCPAxis* each : {m_plot->xAxis, m_plot->yAxis}) {
        each->setBasePen(axis);
        each->setTickPen(axis);
        each->setSubTickPen(axis);
        each->setLabelColor(theme.faintText());
        each->setTickLabelColor(theme.faintText());
        each->setTickLabelFont(font());
        each->setLabelFont(font());
        each->grid()->setPen(QPen(theme.plotGrid(), 0));
        each->grid()->setZeroLinePen(QPen(theme.plotGrid(), 0));
    }
    m_plot->legend->setBrush(QBrush(theme.plotBackground()));
    m_plot->legend->setBorderPen(QPen(theme.plotGrid()));
    m_plot->legend->setTextColor(theme.plotText());
    m_plot->legend->setFont(font());
    applyColors(theme);
    // Replots at once: QCustomPlot repaints its background, but the rest from a buffer in the old colours.
    if (isVisible()) {
        m_stale = false;
        fitAxes();
        m_plot->replot();
    } else {
        requestReplot();
    }
}

bool PlotPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_plot && event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        if (mouse->button() == Qt::LeftButton && reacts(mouse->position())) clicked(mouse->position());
    } else if (watched == m_plot && event->type() == QEvent::MouseMove) {
        const bool over = reacts(static_cast<QMouseEvent*>(event)->position());
        m_plot->setCursor(over ? Qt::PointingHandCursor : Qt::ArrowCursor);
    }
    return QWidget::eventFilter(watched, event);
}

void PlotPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) updateColors();
}

}  // namespace mitos::views
