// SPDX-License-Identifier: GPL-3.0-or-later
// What a graph is painted of: an item a node, and one item for all edges.
#pragma once

#include "views/graph/graph.h"

#include <QColor>
#include <QFont>
#include <QGraphicsItem>
#include <QHash>
#include <QPainterPath>
#include <QPolygonF>
#include <QStaticText>
#include <vector>

class QPalette;

namespace mitos::views {

/// Colours and fonts of all items, from the theme.
struct GraphStyle {
    QColor box;
    QColor frame;
    QColor text;
    QColor faint;
    QColor bar;
    QColor selected;
    QColor selectedFrame;
    QColor shared;
    QColor changed;
    QColor head;
    QFont title;
    QFont strong;
    QFont detail;

    GraphStyle() = default;
    GraphStyle(const QPalette& palette, const QFont& font);
    /// Sets the room a node needs, and its rows; its texts are shortened to fit.
    void measure(GraphNode& node) const;

private:
    /// Widths of texts of rows: operators and costs come again and again, and measuring takes most of the time.
    using Widths = QHash<QString, double>;
    mutable Widths m_titleWidths;
    mutable Widths m_strongWidths;
    mutable Widths m_detailWidths;
};

/// How a node stands out; none of it by colour alone.
enum class NodeState : std::uint8_t {
    Plain = 0,
    Selected = 1,  ///< thick frame
    Shared = 2,    ///< dotted frame: the same term as the selected one
    Changed = 4,   ///< a bar at its left edge: not in the state compared with
};

class NodeItem : public QGraphicsItem {
public:
    NodeItem(const GraphNode& node, GraphIndex index, const GraphStyle& style);

    [[nodiscard]] GraphIndex index() const { return m_index; }
    void setState(NodeState state, bool on);
    [[nodiscard]] bool is(NodeState state) const { return (m_state & static_cast<unsigned>(state)) != 0; }
    /// The button that shows or hides what is behind the node, in item coordinates; empty: none.
    [[nodiscard]] QRectF button() const;
    [[nodiscard]] QRectF box() const;
    /// Must be told before the node's size changes.
    void aboutToResize() { prepareGeometryChange(); }
    /// And after it, or after the style's fonts changed.
    void layOutTexts();
    [[nodiscard]] QString label() const { return m_node.title; }

    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    struct RowTexts {
        QStaticText tag;
        QStaticText text;
        QStaticText detail;
    };
    void paintTexts(QPainter& painter);
    void layOutRows();
    void paintRowFrames(QPainter& painter) const;
    void paintRow(QPainter& painter, std::size_t row) const;
    [[nodiscard]] QRectF rowBox(std::size_t row) const;

    const GraphNode& m_node;
    GraphIndex m_index;
    const GraphStyle& m_style;
    unsigned m_state = 0;
    // Laid out once: shaping text takes most of the time of drawing a graph.
    QStaticText m_title;
    QStaticText m_detail;
    QStaticText m_buttonText;
    std::vector<RowTexts> m_rows;  // laid out when they are first seen
    double m_tagWidth = 0.0;
    double m_buttonWidth = 0.0;
};

/// All edges. Only those near what has to be repainted are drawn.
class EdgeLayer : public QGraphicsItem {
public:
    explicit EdgeLayer(const GraphStyle& style);

    struct Line {
        QPainterPath path;
        GraphEdge::Kind kind = GraphEdge::Kind::Child;
        bool strong = false;
        QPolygonF head = {};  ///< of an arrow; may be empty
    };
    void setLines(std::vector<Line> lines);
    [[nodiscard]] const std::vector<Line>& lines() const { return m_lines; }

    [[nodiscard]] QRectF boundingRect() const override { return m_bounds; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    const GraphStyle& m_style;
    std::vector<Line> m_lines;
    std::vector<QRectF> m_boxes;  // of the lines
    QRectF m_bounds;
};

}  // namespace mitos::views
