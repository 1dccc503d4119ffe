// SPDX-License-Identifier: GPL-3.0-or-later
// A plot in the colours of the theme, with a cost axis that is linear or logarithmic, redrawn at most 20 times a second.
#pragma once

#include "views/theme/theme.h"

#include <QPen>
#include <QTimer>
#include <QWidget>

class QCustomPlot;
class QCPAxis;

namespace mitos::views {

/// Base of the plots of the cost curve. Subclasses fill the plot, say what its data span, and what a click means.
class PlotPanel : public QWidget {
    Q_OBJECT
public:
    explicit PlotPanel(QWidget* parent = nullptr);

    /// A logarithmic cost axis; has no effect while a cost is not positive.
    void setLogarithmic(bool logarithmic);
    /// The linear cost axis begins at 0 (or below); otherwise at the least cost, so that small changes of large costs are
    /// seen.
    void setFromZero(bool fromZero);
    [[nodiscard]] bool hasOnlyPositiveCosts() const;
    /// Of the costs, beside their axis; empty: they have none.
    void setUnit(const QString& unit);
    /// Replots so far, for measuring; and whether one is to come.
    [[nodiscard]] int replots() const { return m_replots; }
    [[nodiscard]] bool isReplotPending() const { return m_timer.isActive(); }
    [[nodiscard]] QCustomPlot& plot() { return *m_plot; }

protected:
    /// Extent of the data; lowCost > highCost: nothing to show.
    struct Extent {
        double highKey = 1.0;
        double lowCost = 0.0;
        double highCost = -1.0;

        void include(double cost);
    };
    [[nodiscard]] virtual Extent extent() const = 0;
    /// Pens and brushes of the subclass's own parts, in the theme's colours.
    virtual void applyColors(const Theme& theme) = 0;
    /// Whether a click there, in pixels of the plot, does something.
    [[nodiscard]] virtual bool reacts(const QPointF& place) const = 0;
    virtual void clicked(const QPointF& place) = 0;

    /// Runs differ in dash pattern as well as in colour.
    [[nodiscard]] static QPen runPen(const Theme& theme, int run, bool selected);

    /// The horizontal axis has marks at whole numbers only.
    void countSteps();
    /// Asks for one redraw; many requests within 50 ms become one.
    void requestReplot();
    void updateColors();
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

    QCustomPlot* m_plot;

private:
    void replot();
    void fitAxes();
    void fitCosts(const Extent& all, bool logarithmic);

    QTimer m_timer;
    bool m_stale = false;  ///< to be drawn anew once it is seen
    bool m_logarithmic = false;
    bool m_fromZero = false;
    int m_replots = 0;
    double m_shownKeys = 0.0;
};

}  // namespace mitos::views
