// SPDX-License-Identifier: GPL-3.0-or-later
// A plot in the theme's colours.
#include "views/plot/plot_panel.h"

#include "core/base/source_text.h"
#include "views/common/format.h"
#include "views/common/save_dialog.h"
#include "views/common/view_keys.h"
#include "views/common/widgets.h"
#include "views/plot/internal/plot_export.h"
#include "views/plot/plot_cursor.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace mitos::views {

namespace {

constexpr int ReplotMs = 50;
constexpr int LegendMargin = 8;
constexpr double Margin = 0.08;  // fraction of the extent, above and below the curve
constexpr double LogarithmicMargin = 0.04;
constexpr double ZoomStep = 1.2;  // per notch of the wheel
constexpr double UnitsANotch = 120.0;
constexpr double Rounding = 1e-6;  // of a range, after zooming in and out again
constexpr std::array<Qt::PenStyle, PlotPanel::DashPatterns> PenStyles{Qt::SolidLine, Qt::DashLine, Qt::DotLine,
                                                                      Qt::DashDotLine};

/// Digits needed to distinguish the marks of an axis, whose range may be small relative to its values.
int digitsFor(double low, double high) {
    const double size = std::max(std::abs(low), std::abs(high));
    if (!(high > low) || size <= 0) return 6;
    return std::clamp(static_cast<int>(std::ceil(std::log10(size / (high - low)))) + 3, 6, 15);
}

bool meet(const QCPRange& a, const QCPRange& b) { return a.lower < b.upper && b.lower < a.upper; }

bool contains(const QCPRange& outer, const QCPRange& inner) {
    const double slack = Rounding * inner.size();
    return outer.lower <= inner.lower + slack && outer.upper >= inner.upper - slack;
}

/// Moves an axis so that what was at pixel `before` is at pixel `after`.
void pan(QCPAxis& axis, double before, double after) {
    const double from = axis.pixelToCoord(before);
    const double to = axis.pixelToCoord(after);
    const QCPRange range = axis.range();
    if (axis.scaleType() == QCPAxis::stLogarithmic)
        axis.setRange(range.lower * (from / to), range.upper * (from / to));
    else
        axis.setRange(range.lower + (from - to), range.upper + (from - to));
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
    auto* keys = new ViewKeys(m_plot, tr("Chart"));
    keys->describe(tr("Wheel"), tr("Zoom"));
    keys->describe(tr("Drag"), tr("Move"));
    keys->describe(tr("Double click"), tr("Show everything"));
    m_timer.setSingleShot(true);
    m_timer.setInterval(ReplotMs);
    connect(&m_timer, &QTimer::timeout, this, &PlotPanel::replot);
    whenShown(this, Qt::DirectConnection, [this] {
        if (m_stale) requestReplot();
        PlotCursor& cursor = PlotCursor::of(*this);
        if (m_cursor != &cursor) {
            if (m_cursor != nullptr) disconnect(m_cursor, nullptr, this, nullptr);
            m_cursor = &cursor;
            connect(&cursor, &PlotCursor::moved, this, &PlotPanel::showCursor);
        }
    });
}

void PlotPanel::setLogarithmic(bool logarithmic) {
    if (m_logarithmic != logarithmic) setZoomed(false);
    m_logarithmic = logarithmic;
    requestReplot();
}

void PlotPanel::setFromZero(bool fromZero) {
    if (m_fromZero != fromZero) setZoomed(false);
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

void PlotPanel::showLegend() {
    m_plot->axisRect()->insetLayout()->take(m_plot->legend);
    auto* side = new QCPLayoutGrid;
    m_plot->plotLayout()->addElement(0, 1, side);
    m_plot->plotLayout()->setColumnStretchFactor(1, 0.001);  // as wide as its names
    side->addElement(0, 0, m_plot->legend);
    side->addElement(1, 0, new QCPLayoutElement(m_plot));
    side->setRowStretchFactor(0, 0.001);
    side->setMargins(QMargins(0, LegendMargin, LegendMargin, 0));
    m_plot->legend->setFillOrder(QCPLegend::foRowsFirst);
    m_plot->legend->setVisible(true);
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
    // As many numbers as there is room for.
    constexpr int MostTicks = 5;
    const int room = m_plot->height() / (3 * fontMetrics().height());
    m_plot->yAxis->ticker()->setTickCount(std::clamp(room, 2, MostTicks));
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
    if (all.lowCost > all.highCost) {
        setZoomed(false);
        return;
    }
    const QCPRange keys = m_plot->xAxis->range();
    const QCPRange costs = m_plot->yAxis->range();
    const QCPAxis::ScaleType keyScale = m_plot->xAxis->scaleType();
    fitCosts(all, logarithmic);
    fitKeys(all);
    if (!m_zoomed) return;
    const bool isSameScale = logarithmic == isLogarithmic && keyScale == m_plot->xAxis->scaleType();
    const bool hasData = meet(keys, m_plot->xAxis->range()) && meet(costs, m_plot->yAxis->range());
    if (!isSameScale || !hasData) {
        setZoomed(false);
        return;
    }
    m_plot->xAxis->setRange(keys);
    m_plot->yAxis->setRange(costs);
    markCosts();
}

void PlotPanel::fitKeys(const Extent& all) {
    const bool isLogarithmic = m_plot->xAxis->scaleType() == QCPAxis::stLogarithmic;
    const bool counts = m_quantity == Quantity::Iterations && all.lowKey <= 0.0;
    if ((all.lowKey > 0.0) != isLogarithmic || counts != m_countsKeys) {
        m_plot->xAxis->setScaleType(all.lowKey > 0.0 ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        m_plot->xAxis->setTicker(all.lowKey > 0.0 ? QSharedPointer<QCPAxisTicker>(new PrefixTicker<QCPAxisTickerLog>)
                                                  : QSharedPointer<QCPAxisTicker>(new PrefixTicker<QCPAxisTicker>));
        if (counts) countSteps();
        m_countsKeys = counts;
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
    markCosts();
}

/// Chooses the marks of the cost axis for the part in view.
void PlotPanel::markCosts() {
    const double low = m_plot->yAxis->range().lower;
    const double high = m_plot->yAxis->range().upper;
    const bool logarithmic = m_plot->yAxis->scaleType() == QCPAxis::stLogarithmic;
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
    m_plot->legend->setBorderPen(QPen(Qt::NoPen));
    m_plot->legend->setTextColor(theme.plotText());
    m_plot->legend->setFont(font());
    applyColors(theme);
    if (m_values != nullptr) showCursor();
    // Replots at once: QCustomPlot repaints its background, but the rest from a buffer in the old colours.
    if (isVisible()) {
        m_stale = false;
        fitAxes();
        m_plot->replot();
    } else {
        requestReplot();
    }
}

// --- mouse ---------------------------------------------------------------------------------------------------------------

bool PlotPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_plot) return QWidget::eventFilter(watched, event);
    switch (event->type()) {
        case QEvent::MouseButtonPress: press(*static_cast<QMouseEvent*>(event)); break;
        case QEvent::MouseMove:
            move(*static_cast<QMouseEvent*>(event));
            shareCursor(static_cast<QMouseEvent*>(event));
            break;
        case QEvent::Leave: shareCursor(nullptr); break;
        case QEvent::MouseButtonRelease: release(*static_cast<QMouseEvent*>(event)); break;
        case QEvent::MouseButtonDblClick: resetZoom(); break;
        case QEvent::Wheel: wheel(*static_cast<QWheelEvent*>(event)); return true;
        case QEvent::ContextMenu: showMenu(static_cast<QContextMenuEvent*>(event)->globalPos()); return true;
        default: break;
    }
    return QWidget::eventFilter(watched, event);
}

void PlotPanel::press(const QMouseEvent& event) {
    m_panning = false;
    m_pressed.reset();
    if (event.button() != Qt::LeftButton) return;
    m_pressed = event.position();
    if (!event.modifiers().testFlag(Qt::ShiftModifier)) return;
    m_box = std::make_unique<QRubberBand>(QRubberBand::Rectangle, m_plot);
    m_box->setGeometry(QRect(event.position().toPoint(), QSize()));
    m_box->show();
}

void PlotPanel::move(const QMouseEvent& event) {
    if (!m_pressed || !event.buttons().testFlag(Qt::LeftButton)) {
        m_plot->setCursor(reacts(event.position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
        return;
    }
    if (m_box) {
        const QRect drawn(m_pressed->toPoint(), event.position().toPoint());
        m_box->setGeometry(drawn.normalized().intersected(m_plot->axisRect()->rect()));
        return;
    }
    const Extent all = extent();
    const double way = (event.position() - *m_pressed).manhattanLength();
    if (all.lowCost > all.highCost || (!m_panning && way < QApplication::startDragDistance())) return;
    m_panning = true;
    m_plot->setCursor(Qt::ClosedHandCursor);
    pan(*m_plot->xAxis, m_pressed->x(), event.position().x());
    pan(*m_plot->yAxis, m_pressed->y(), event.position().y());
    m_pressed = event.position();
    redrawPart();
}

void PlotPanel::release(const QMouseEvent& event) {
    if (event.button() != Qt::LeftButton || !m_pressed) return;
    m_pressed.reset();
    if (const std::unique_ptr<QRubberBand> box = std::move(m_box)) {
        showBox(box->geometry());
    } else if (m_panning) {
        m_panning = false;
        m_plot->setCursor(Qt::ArrowCursor);
    } else if (reacts(event.position())) {
        clicked(event.position());
    }
}

/// Fills the plot with what is inside the box, unless it is too small to be meant.
void PlotPanel::showBox(const QRect& box) {
    const Extent all = extent();
    if (all.lowCost > all.highCost || std::min(box.width(), box.height()) < QApplication::startDragDistance()) return;
    const QCPRange keys(m_plot->xAxis->pixelToCoord(box.left()), m_plot->xAxis->pixelToCoord(box.right()));
    const QCPRange costs(m_plot->yAxis->pixelToCoord(box.bottom()), m_plot->yAxis->pixelToCoord(box.top()));
    m_plot->xAxis->setRange(keys);
    m_plot->yAxis->setRange(costs);
    redrawPart();
}

void PlotPanel::wheel(const QWheelEvent& event) {
    const Extent all = extent();
    if (all.lowCost > all.highCost || event.angleDelta().y() == 0) return;
    const QRect frame = m_plot->axisRect()->rect();
    const QPointF at = event.position();
    const double factor = std::pow(ZoomStep, -event.angleDelta().y() / UnitsANotch);
    const bool besideCosts = at.x() < frame.left();
    const bool besideKeys = at.y() > frame.bottom();
    if (!besideCosts) m_plot->xAxis->scaleRange(factor, m_plot->xAxis->pixelToCoord(at.x()));
    if (!besideKeys) m_plot->yAxis->scaleRange(factor, m_plot->yAxis->pixelToCoord(at.y()));
    redrawPart();
}

/// Draws the part that was just chosen; all of it if that is all and more.
void PlotPanel::redrawPart() {
    const QCPRange keys = m_plot->xAxis->range();
    const QCPRange costs = m_plot->yAxis->range();
    setZoomed(false);
    fitAxes();
    if (!contains(keys, m_plot->xAxis->range()) || !contains(costs, m_plot->yAxis->range())) {
        m_plot->xAxis->setRange(keys);
        m_plot->yAxis->setRange(costs);
        markCosts();
        setZoomed(true);
    }
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void PlotPanel::setZoomed(bool zoomed) {
    if (std::exchange(m_zoomed, zoomed) != zoomed) Q_EMIT zoomChanged(zoomed);
}

void PlotPanel::resetZoom() {
    if (!m_zoomed) return;
    setZoomed(false);
    requestReplot();
}

// --- files ---------------------------------------------------------------------------------------------------------------

void PlotPanel::showMenu(const QPoint& globalPos) {
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("plotMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const char* suffix : {"png", "svg", "pdf"}) {
        const QString name = QString::fromLatin1(suffix);
        menu->addAction(tr("Save as %1…").arg(name.toUpper()), this, [this, name] { askForPath(name); });
    }
    menu->addSeparator();
    menu->addAction(tr("Copy data as CSV"), this, [this] { QApplication::clipboard()->setText(dataAsCsv()); });
    menu->addAction(tr("Save data as CSV…"), this, [this] { askForPath(QStringLiteral("csv")); });
    menu->addSeparator();
    menu->addAction(tr("Show everything"), this, &PlotPanel::resetZoom)->setEnabled(m_zoomed);
    menu->popup(globalPos);
}

void PlotPanel::askForPath(const QString& suffix) {
    const bool isData = suffix == QLatin1String("csv");
    const SaveRequest request{.objectName = QStringLiteral("plotSaveDialog"),
                              .title = isData ? tr("Save the Data") : tr("Save as a Picture"),
                              .kinds = {{tr("%1 files").arg(suffix.toUpper()), suffix}}};
    askWhereToSave(this, request, [this](const QString& path) { save(path); });
}

QString PlotPanel::dataAsCsv() const { return plotData(*m_plot); }

bool PlotPanel::save(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    QByteArray content;
    if (suffix == QLatin1String("csv"))
        content = dataAsCsv().toUtf8();
    else
        content = plotPicture(*m_plot, formatOf(path));
    const std::string_view bytes(content.constData(), static_cast<std::size_t>(content.size()));
    const Status written = writeFile(QFile::encodeName(path).toStdString(), bytes);
    if (written) return true;
    auto* box =
        new QMessageBox(QMessageBox::Warning, tr("Save"), fromUtf8(written.error().oneLine()), QMessageBox::Ok, this);
    box->setObjectName(QStringLiteral("plotSaveFailed"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
    return false;
}

void PlotPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) updateColors();
}

}  // namespace mitos::views
