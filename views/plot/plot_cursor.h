// SPDX-License-Identifier: GPL-3.0-or-later
// The cursor that the charts of a window share.
#pragma once

#include "views/plot/plot_panel.h"

#include <QObject>
#include <optional>

namespace mitos::views {

/// A place on the horizontal axis of every chart that measures the same quantity.
class PlotCursor : public QObject {
    Q_OBJECT
public:
    struct Place {
        PlotPanel::Quantity quantity = PlotPanel::Quantity::Other;
        double key = 0.0;
    };

    /// The cursor of the window that the widget is in, docks that float included.
    [[nodiscard]] static PlotCursor& of(QWidget& widget);

    [[nodiscard]] const std::optional<Place>& place() const { return m_place; }
    void moveTo(std::optional<Place> place);

Q_SIGNALS:
    void moved();

private:
    explicit PlotCursor(QWidget* window);

    std::optional<Place> m_place;
};

}  // namespace mitos::views
