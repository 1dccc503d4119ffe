// SPDX-License-Identifier: GPL-3.0-or-later
// A map of a graph: one filled rectangle per box.
#include "views/graph/internal/minimap.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace mitos::views {

namespace {

constexpr double Widest = 180.0;
constexpr double Highest = 200.0;
constexpr double Narrowest = 56.0;  // a chain of boxes is stretched to this
constexpr double MapPadding = 6.0;
constexpr double MapRadius = 4.0;
constexpr double ShareOfView = 0.35;  // at most, of each side of the view
constexpr double Tiny = 4.0;
constexpr int TinyShade = 80;        // opacity, of 255
constexpr double SmallestBox = 1.0;  // pixels
constexpr double SmallestSeen = 6.0;
constexpr double SeenWidth = 1.5;
constexpr int MapGap = 10;  // to the corner of the view

}  // namespace

Minimap::Minimap(const NodeLayer& nodes, const GraphStyle& style, QWidget* parent)
    : QWidget(parent),
      m_nodes(nodes),
      m_style(style) {
    setObjectName(QStringLiteral("graphMinimap"));
    setAccessibleName(tr("Map of the graph"));
    setToolTip(tr("The whole graph; click or drag to move the view"));
    setCursor(Qt::PointingHandCursor);
    hide();
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, &Minimap::drawSlice);
}

void Minimap::redraw(const QRectF& room) {
    m_room = room;
    begin();
}

void Minimap::clear() {
    m_timer.stop();
    m_marked.reset();
    m_room = {};
    m_drawn = 0;
    m_image = {};
    hide();
}

void Minimap::setMarked(std::optional<GraphIndex> node) {
    m_marked = node;
    update();
}

void Minimap::setWanted(bool wanted) {
    m_wanted = wanted;
    if (!wanted) hide();
}

void Minimap::setSeen(const QRectF& seen, const QRect& viewport) {
    m_seen = seen;
    if (!m_wanted || m_room.isEmpty() || seen.contains(m_room)) {
        hide();
        return;
    }
    place(viewport);
    update();
}

/// Keeps the graph's proportions, but a map is never too narrow to be read.
void Minimap::place(const QRect& viewport) {
    const double width = std::min(Widest, viewport.width() * ShareOfView) - 2 * MapPadding;
    const double height = std::min(Highest, viewport.height() * ShareOfView) - 2 * MapPadding;
    if (width < Narrowest || height < Narrowest) {
        hide();
        return;
    }
    const double scale = std::min(width / m_room.width(), height / m_room.height());
    const QSize needed(static_cast<int>(std::ceil(std::max(Narrowest, m_room.width() * scale) + 2 * MapPadding)),
                       static_cast<int>(std::ceil(std::max(Narrowest, m_room.height() * scale) + 2 * MapPadding)));
    QRect rect(QPoint(), needed);
    rect.moveBottomRight(viewport.bottomRight() - QPoint(MapGap, MapGap));
    const bool isResized = needed != size();
    setGeometry(rect);
    if (isHidden()) {
        show();
        raise();
    }
    if (isResized || m_image.isNull() || m_image.devicePixelRatio() != devicePixelRatioF()) begin();
}

/// An empty image; the boxes are drawn between events.
void Minimap::begin() {
    m_drawn = 0;
    m_image = {};
    m_timer.stop();
    if (isHidden() || m_room.isEmpty()) return;  // drawn when it is shown
    m_image = QImage(size() * devicePixelRatioF(), QImage::Format_ARGB32_Premultiplied);
    m_image.setDevicePixelRatio(devicePixelRatioF());
    m_image.fill(Qt::transparent);
    m_timer.start();
    update();
}

void Minimap::drawSlice() {
    const auto& items = m_nodes.items();
    const std::size_t end = std::min(items.size(), m_drawn + BoxesASlice);
    {
        QPainter painter(&m_image);
        QColor shade = m_style.frame;
        shade.setAlpha(TinyShade);
        for (; m_drawn < end; ++m_drawn) {
            const NodeItem& item = *items[m_drawn];
            QRectF box = onMap(item.box().translated(item.pos()));
            box.setSize(box.size().expandedTo({SmallestBox, SmallestBox}));
            painter.fillRect(box, item.familyColour());
            if (box.height() < Tiny) painter.fillRect(box, shade);  // pale dots are not visible
        }
    }
    if (m_drawn == items.size()) m_timer.stop();
    update();
}

QRectF Minimap::onMap(const QRectF& scene) const {
    if (m_room.isEmpty()) return {};
    const double across = (width() - 2 * MapPadding) / m_room.width();
    const double down = (height() - 2 * MapPadding) / m_room.height();
    return {MapPadding + (scene.left() - m_room.left()) * across, MapPadding + (scene.top() - m_room.top()) * down,
            scene.width() * across, scene.height() * down};
}

QPointF Minimap::toScene(const QPointF& point) const {
    return {m_room.left() + (point.x() - MapPadding) / (width() - 2 * MapPadding) * m_room.width(),
            m_room.top() + (point.y() - MapPadding) / (height() - 2 * MapPadding) * m_room.height()};
}

void Minimap::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_style.outline);
    painter.setBrush(m_style.box);
    const QRectF all = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.drawRoundedRect(all, MapRadius, MapRadius);
    painter.drawImage(QPointF(), m_image);
    if (m_marked && *m_marked < m_nodes.items().size()) {
        const NodeItem& item = *m_nodes.items()[*m_marked];
        QRectF box = onMap(item.box().translated(item.pos()));
        const QPointF centre = box.center();
        box.setSize(box.size().expandedTo({3.0, 3.0}));
        box.moveCenter(centre);
        painter.fillRect(box, m_style.selectedFrame);
    }
    QRectF seen = frame();
    const QPointF centre = seen.center();
    seen.setSize(seen.size().expandedTo({SmallestSeen, SmallestSeen}));
    seen.moveCenter(centre);
    const double inset = SeenWidth / 2;
    seen &= QRectF(rect()).adjusted(inset + 1, inset + 1, -inset - 1, -inset - 1);
    painter.setPen(QPen(m_style.selectedFrame, SeenWidth));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(seen, 1.5, 1.5);
}

void Minimap::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) Q_EMIT placeChosen(toScene(event->position()));
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton)) Q_EMIT placeChosen(toScene(event->position()));
}

/// Accepted, so that the view does not take it for a click on the graph.
void Minimap::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

}  // namespace mitos::views
