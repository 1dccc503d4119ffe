// SPDX-License-Identifier: GPL-3.0-or-later
// The shared cursor, and how a chart shows it.
#include "views/plot/plot_cursor.h"

#include "views/common/format.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <QMouseEvent>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int MostValues = 12;
constexpr int ValuesGap = 8;  // pixels between the line and the values

QString keyText(PlotPanel::Quantity quantity, double key) {
    switch (quantity) {
        case PlotPanel::Quantity::Seconds: return durationText(key);
        case PlotPanel::Quantity::Evaluations:
            return PlotCursor::tr("%1 evaluations").arg(countText(static_cast<std::uint64_t>(std::max(0.0, key))));
        case PlotPanel::Quantity::Iterations: return PlotCursor::tr("iteration %L1").arg(static_cast<qint64>(key));
        case PlotPanel::Quantity::Steps: return PlotCursor::tr("step %L1").arg(static_cast<qint64>(key));
        case PlotPanel::Quantity::Other: break;
    }
    return {};
}

}  // namespace

PlotCursor::PlotCursor(QWidget* window) : QObject(window) {}

PlotCursor& PlotCursor::of(QWidget& widget) {
    QWidget* top = &widget;
    while (top->parentWidget() != nullptr) top = top->parentWidget();
    auto* found = top->findChild<PlotCursor*>(QString(), Qt::FindDirectChildrenOnly);
    return found != nullptr ? *found : *new PlotCursor(top);
}

void PlotCursor::moveTo(std::optional<Place> place) {
    if (!m_place && !place) return;
    m_place = place;
    Q_EMIT moved();
}

// --- in a chart ------------------------------------------------------------------------------------------------------------

void PlotPanel::setQuantity(Quantity quantity) {
    if (std::exchange(m_quantity, quantity) != quantity) showCursor();
}

/// Called for every movement of the mouse, and when it leaves the plot.
void PlotPanel::shareCursor(const QMouseEvent* event) {
    if (m_quantity == Quantity::Other || m_cursor == nullptr) return;
    const bool isInside =
        event != nullptr && event->buttons() == Qt::NoButton && m_plot->axisRect()->rect().contains(event->pos());
    m_cursor->moveTo(
        isInside ? std::optional(PlotCursor::Place{m_quantity, m_plot->xAxis->pixelToCoord(event->position().x())})
                 : std::nullopt);
}

QStringList PlotPanel::valuesAt(double key) const {
    QStringList lines;
    for (int i = 0; i < m_plot->graphCount(); ++i) {
        const QCPGraph& graph = *m_plot->graph(i);
        if (graph.name().isEmpty() || !graph.visible() || graph.lineStyle() == QCPGraph::lsNone) continue;
        const auto begin = graph.data()->constBegin();
        const auto end = graph.data()->constEnd();
        const auto next = std::upper_bound(begin, end, key,
                                           [](double place, const QCPGraphData& point) { return place < point.key; });
        if (next == begin) continue;
        lines << QStringLiteral("%1: %2").arg(graph.name(), costText(std::prev(next)->value));
    }
    return lines;
}

QStringList PlotPanel::cursorTexts() const {
    if (m_values == nullptr || !m_values->visible()) return {};
    return m_values->text().split(QLatin1Char('\n'));
}

void PlotPanel::showCursor() {
    const bool isShown = m_cursor != nullptr && m_cursor->place() && m_cursor->place()->quantity == m_quantity &&
                         m_quantity != Quantity::Other && isVisible();
    if (m_hairline == nullptr) {
        if (!isShown) return;
        m_plot->addLayer(QStringLiteral("cursor"));
        m_plot->layer(QStringLiteral("cursor"))->setMode(QCPLayer::lmBuffered);
        m_hairline = new QCPItemStraightLine(m_plot);
        m_values = new QCPItemText(m_plot);
        m_values->position->setType(QCPItemPosition::ptAbsolute);
        m_values->setTextAlignment(Qt::AlignLeft);
        m_values->setPadding(QMargins(4, 2, 4, 2));
        m_values->setClipToAxisRect(false);
        for (QCPAbstractItem* item :
             {static_cast<QCPAbstractItem*>(m_hairline), static_cast<QCPAbstractItem*>(m_values)})
            item->setLayer(QStringLiteral("cursor"));
    }
    m_hairline->setVisible(isShown);
    m_values->setVisible(isShown);
    if (isShown) {
        const Theme theme(palette());
        const double key = m_cursor->place()->key;
        const QRect frame = m_plot->axisRect()->rect();
        const double x = m_plot->xAxis->coordToPixel(key);
        const bool isInside = x >= frame.left() && x <= frame.right();
        m_hairline->setVisible(isInside);
        m_values->setVisible(isInside);
        m_hairline->setPen(QPen(theme.faintText(), 0));
        m_hairline->point1->setCoords(key, 0.0);
        m_hairline->point2->setCoords(key, 1.0);
        QStringList lines = valuesAt(key);
        if (const auto more = static_cast<int>(lines.size()) - MostValues; more > 0) {
            lines.resize(MostValues);
            lines << tr("and %L1 more").arg(more);
        }
        lines.prepend(keyText(m_quantity, key));
        m_values->setText(lines.join(QLatin1Char('\n')));
        m_values->setFont(font());
        m_values->setColor(theme.plotText());
        m_values->setBrush(theme.plotBackground());
        m_values->setPen(QPen(theme.plotGrid(), 0));
        const bool isLeft = x < frame.center().x();
        m_values->setPositionAlignment((isLeft ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignTop);
        m_values->position->setCoords(isLeft ? x + ValuesGap : x - ValuesGap, frame.top() + ValuesGap);
    }
    m_plot->layer(QStringLiteral("cursor"))->replot();
}

}  // namespace mitos::views
