// SPDX-License-Identifier: GPL-3.0-or-later
// The whole graph, small, in a corner of its view, with the visible part framed.
#pragma once

#include "views/graph/graph_items.h"

#include <QImage>
#include <QTimer>
#include <QWidget>
#include <optional>

namespace mitos::views {

/// Boxes are drawn once into an image, a few thousand between two events; a frame copies the image. A press or drag asks
/// for the place under the pointer.
class Minimap : public QWidget {
    Q_OBJECT
public:
    Minimap(const NodeLayer& nodes, const GraphStyle& style, QWidget* parent);

    /// Draws the boxes again, which lie within `room`. Call this after they were moved.
    void redraw(const QRectF& room);
    /// Call this after the style changed.
    void recolour() { begin(); }
    /// Stops drawing: the boxes are about to go.
    void clear();
    /// The part of the scene that is visible, and where the map may be, in coordinates of its parent.
    void setSeen(const QRectF& seen, const QRect& viewport);
    void setMarked(std::optional<GraphIndex> node);  ///< drawn in the colour of the selection
    void setWanted(bool wanted);                     ///< false: never shown
    [[nodiscard]] bool isWanted() const { return m_wanted; }

    [[nodiscard]] bool isDrawing() const { return m_timer.isActive(); }
    /// Place of a part of the scene on the map.
    [[nodiscard]] QRectF onMap(const QRectF& scene) const;
    /// The frame around the visible part.
    [[nodiscard]] QRectF frame() const { return onMap(m_seen); }
    static constexpr std::size_t BoxesASlice = 2'500;

Q_SIGNALS:
    void placeChosen(const QPointF& scene);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void begin();
    void drawSlice();
    void place(const QRect& viewport);
    [[nodiscard]] QPointF toScene(const QPointF& point) const;

    const NodeLayer& m_nodes;
    const GraphStyle& m_style;
    QRectF m_room;
    QRectF m_seen;
    QImage m_image;
    QTimer m_timer;
    std::size_t m_drawn = 0;  ///< number of boxes in the image
    std::optional<GraphIndex> m_marked;
    bool m_wanted = true;
};

}  // namespace mitos::views
