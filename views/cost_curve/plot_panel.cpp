// SPDX-License-Identifier: GPL-3.0-or-later
// A plot in the colours of the theme.
#include "views/cost_curve/plot_panel.h"

#include "views/cost_curve/qcustomplot_wrapper.h"

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr int ReplotMs = 50;
constexpr double Margin = 0.08;  // of the extent, above and below the curve

}  // namespace

PlotPanel::PlotPanel(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    m_plot->setNotAntialiasedElements(QCP::aeAxes | QCP::aeGrid);
    m_plot->setAttribute(Qt::WA_OpaquePaintEvent);
    m_plot->axisRect()->setAutoMargins(QCP::msAll);
    m_plot->yAxis->setLabel(tr("cost"));
    m_timer.setSingleShot(true);
    m_timer.setInterval(ReplotMs);
    connect(&m_timer, &QTimer::timeout, this, &PlotPanel::replot);
}

void PlotPanel::setLogarithmic(bool logarithmic) {
    m_logarithmic = logarithmic;
    requestReplot();
}

bool PlotPanel::hasOnlyPositiveCosts() const {
    const Extent all = extent();
    return all.lowCost <= all.highCost && all.lowCost > 0;
}

void PlotPanel::requestReplot() {
    if (!m_timer.isActive()) m_timer.start();
}

void PlotPanel::replot() {
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
        m_plot->yAxis->setTicker(logarithmic ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                                             : QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
        m_plot->yAxis->setNumberFormat(QStringLiteral("g"));
        m_plot->yAxis->setNumberPrecision(6);
    }
    if (all.lowCost > all.highCost) return;
    if (logarithmic) {
        const double factor = std::max(1.1, std::pow(all.highCost / all.lowCost, Margin));
        m_plot->yAxis->setRange(all.lowCost / factor, all.highCost * factor);
    } else {
        const double room = std::max(Margin * (all.highCost - std::min(0.0, all.lowCost)), 1e-6);
        m_plot->yAxis->setRange(std::min(0.0, all.lowCost), all.highCost + room);
    }
    // While data stream in, the axis grows in jumps instead of sliding with every point.
    if (all.highKey > m_shownKeys || all.highKey < 0.5 * m_shownKeys) m_shownKeys = all.highKey * 1.15;
    m_plot->xAxis->setRange(-0.02 * m_shownKeys, m_shownKeys);
}

void PlotPanel::updateColors() {
    const Theme theme(palette());
    m_plot->setBackground(QBrush(theme.plotBackground()));
    const QPen axis(theme.plotText());
    for (QCPAxis* each : {m_plot->xAxis, m_plot->yAxis}) {
        each->setBasePen(axis);
        each->setTickPen(axis);
        each->setSubTickPen(axis);
        each->setLabelColor(theme.plotText());
        each->setTickLabelColor(theme.plotText());
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
    // At once: QCustomPlot paints its background anew but the rest from a buffer in the old colours.
    if (isVisible()) {
        fitAxes();
        m_plot->replot();
    } else {
        requestReplot();
    }
}

void PlotPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) updateColors();
}

}  // namespace mitos::views
