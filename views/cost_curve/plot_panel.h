// SPDX-License-Identifier: GPL-3.0-or-later
// A plot in the colours of the theme, with a cost axis that is linear or logarithmic, redrawn at most 20 times a second.
#pragma once

#include "views/theme/theme.h"

#include <QTimer>
#include <QWidget>

class QCustomPlot;
class QCPAxis;

namespace mitos::views {

/// Base of the two plots of the cost curve. Subclasses fill the plot and say what its data span.
class PlotPanel : public QWidget {
    Q_OBJECT
public:
    explicit PlotPanel(QWidget* parent = nullptr);

    /// A logarithmic cost axis; has no effect while a cost is not positive.
    void setLogarithmic(bool logarithmic);
    [[nodiscard]] bool hasOnlyPositiveCosts() const;
    /// Replots so far, for measuring.
    [[nodiscard]] int replots() const { return m_replots; }
    [[nodiscard]] QCustomPlot& plot() { return *m_plot; }

protected:
    /// Extent of the data; lowCost > highCost: nothing to show.
    struct Extent {
        double highKey = 1.0;
        double lowCost = 0.0;
        double highCost = -1.0;
    };
    [[nodiscard]] virtual Extent extent() const = 0;
    /// Pens and brushes of the subclass's own parts, in the theme's colours.
    virtual void applyColors(const Theme& theme) = 0;

    /// Asks for one redraw; many requests within 50 ms become one.
    void requestReplot();
    void updateColors();
    void changeEvent(QEvent* event) override;

    QCustomPlot* m_plot;

private:
    void replot();
    void fitAxes();

    QTimer m_timer;
    bool m_logarithmic = false;
    int m_replots = 0;
    double m_shownKeys = 0.0;
};

}  // namespace mitos::views
