// SPDX-License-Identifier: GPL-3.0-or-later
// A plot in the theme's colours, with a linear or logarithmic cost axis, redrawn at most 20 times a second.
#pragma once

#include "views/theme/theme.h"

#include <QPen>
#include <QPointF>
#include <QPointer>
#include <QRubberBand>
#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

class QCustomPlot;
class QCPAxis;
class QCPItemStraightLine;
class QCPItemText;
class QMenu;
class QMouseEvent;
class QWheelEvent;

namespace mitos::views {

class PlotCursor;

/// A colour (Theme::category) and a dash pattern; both numbers wrap around.
struct CurveStyle {
    int colour = 0;
    int dash = 0;
};

/// Base of the cost plots. Subclasses fill the plot, report the extent of their data, and handle clicks. The wheel zooms at
/// the pointer (beside an axis, only along it), dragging pans, a double click shows everything again. A part chosen in
/// this way stays in view while data arrive, unless all data have left it.
class PlotPanel : public QWidget {
    Q_OBJECT
public:
    explicit PlotPanel(QWidget* parent = nullptr);

    /// A logarithmic cost axis; has no effect while a cost is not positive.
    void setLogarithmic(bool logarithmic);
    /// Starts the linear cost axis at 0 (or below); otherwise it starts at the least cost, so that small changes of
    /// large costs are visible.
    void setFromZero(bool fromZero);
    [[nodiscard]] bool hasOnlyPositiveCosts() const;
    /// Sets the unit of the costs, shown beside their axis; empty if they have none.
    void setUnit(const QString& unit);
    /// Number of replots so far, for measurements; and whether one is pending.
    [[nodiscard]] int replots() const { return m_replots; }
    [[nodiscard]] bool isReplotPending() const { return m_timer.isActive(); }
    [[nodiscard]] QCustomPlot& plot() { return *m_plot; }
    /// Whether the user chose the part in view.
    [[nodiscard]] bool isZoomed() const { return m_zoomed; }
    void resetZoom();  ///< shows everything
    /// Writes the plot as it is drawn, in the format of the suffix (png, svg or pdf), or its data as csv. If this fails,
    /// the user is informed, and the result is false.
    bool save(const QString& path);
    [[nodiscard]] QString dataAsCsv() const;
    /// The pen of a run: runs differ in dash pattern as well as in colour.
    [[nodiscard]] static QPen runPen(const Theme& theme, int run, bool selected) {
        return pen(theme, {run - 1, run - 1}, selected);
    }
    static constexpr int DashPatterns = 4;
    /// What the horizontal axis measures. The charts of a window that measure the same share a cursor (PlotCursor).
    enum class Quantity { Other, Seconds, Evaluations, Iterations, Steps };
    [[nodiscard]] Quantity quantity() const { return m_quantity; }
    /// The lines beside the cursor: its place, and the values there; empty while no cursor is shown.
    [[nodiscard]] QStringList cursorTexts() const;
    [[nodiscard]] static QPen pen(const Theme& theme, CurveStyle style, bool selected);

Q_SIGNALS:
    void zoomChanged(bool zoomed);

protected:
    /// Extent of the data; there is nothing to show if lowCost > highCost.
    struct Extent {
        double highKey = 1.0;
        double lowKey = 0.0;  ///< positive: the horizontal axis is logarithmic, and begins there
        double lowCost = 0.0;
        double highCost = -1.0;

        void include(double cost);
    };
    [[nodiscard]] virtual Extent extent() const = 0;
    /// Sets the theme's colours on the pens and brushes of the subclass's own parts.
    virtual void applyColors(const Theme& theme) = 0;
    /// Whether a click at that position, in pixels of the plot, has an effect.
    [[nodiscard]] virtual bool reacts(const QPointF& place) const = 0;
    virtual void clicked(const QPointF& place) = 0;

    void setQuantity(Quantity quantity);
    /// The values at that place of the horizontal axis, a line for each. By default those of the curves with a name.
    [[nodiscard]] virtual QStringList valuesAt(double key) const;
    /// Lists the graphs by name, at the right of the plot.
    void showLegend();
    /// Limits the marks of the horizontal axis to whole numbers.
    void countSteps();
    /// Requests a redraw; requests within 50 ms are merged into one.
    void requestReplot();
    void updateColors();
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

    QCustomPlot* m_plot;

private:
    void shareCursor(const QMouseEvent* event);
    void showCursor();
    void replot();
    void fitAxes();
    void fitCosts(const Extent& all, bool logarithmic);
    void fitKeys(const Extent& all);
    void markCosts();
    void setZoomed(bool zoomed);
    void redrawPart();
    void wheel(const QWheelEvent& event);
    void press(const QMouseEvent& event);
    void move(const QMouseEvent& event);
    void release(const QMouseEvent& event);
    void showBox(const QRect& box);
    void showMenu(const QPoint& globalPos);
    void askForPath(const QString& suffix);

    QTimer m_timer;
    bool m_stale = false;  ///< needs a redraw when it is next shown
    bool m_logarithmic = false;
    bool m_fromZero = false;
    int m_replots = 0;
    double m_shownKeys = 0.0;
    bool m_zoomed = false;
    std::optional<QPointF> m_pressed;  ///< where the left button was pressed, or was last while panning
    bool m_panning = false;
    std::unique_ptr<QRubberBand> m_box;  ///< while it is drawn
    Quantity m_quantity = Quantity::Other;
    bool m_countsKeys = false;  ///< the marks of the horizontal axis are whole numbers, because it counts iterations
    QPointer<PlotCursor> m_cursor;
    QCPItemStraightLine* m_hairline = nullptr;  ///< null until a cursor is shown for the first time
    QCPItemText* m_values = nullptr;
};

}  // namespace mitos::views
