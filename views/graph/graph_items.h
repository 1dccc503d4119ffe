// SPDX-License-Identifier: GPL-3.0-or-later
// The layers a graph is painted with: boxes, edges and frames. Layers paint only the exposed area, so that a graph of
// thousands of boxes moves smoothly.
#pragma once

#include "views/graph/graph.h"
#include "views/theme/theme.h"

#include <QColor>
#include <QFont>
#include <QGraphicsItem>
#include <QHash>
#include <QLineF>
#include <QPainterPath>
#include <QPolygonF>
#include <QStaticText>
#include <array>
#include <memory>
#include <optional>
#include <vector>

class QPalette;

namespace mitos::views {

/// Colours and fonts of all items, from the theme.
struct GraphStyle {
    QColor box;
    QColor frame;
    QColor outline;  ///< of plain boxes
    QColor text;
    QColor faint;
    QColor faintEdge;
    QColor region;        ///< the ground of a region's frame
    QColor chosenRegion;  ///< that of the chosen one
    QColor regionFrame;
    QColor bar;
    QColor selected;
    QColor selectedFrame;
    QColor shared;
    QColor changed;
    QColor gone;
    QColor found;
    std::array<QColor, 3> parts;  ///< of bars
    std::array<QColor, Theme::Fills> fills;
    std::array<QColor, 33> heats;  ///< from no heat to the most
    std::array<QColor, 5> edges;   ///< the longer an edge, the paler
    QColor head;
    QFont title;
    QFont strong;
    QFont detail;

    GraphStyle() = default;
    GraphStyle(const QPalette& palette, const QFont& font);
    /// Sets a node's size and row heights; its texts are shortened to fit.
    void measure(GraphNode& node) const;

private:
    /// Cached widths of row texts: operators and costs repeat, and measuring takes most of the time.
    using Widths = QHash<QString, double>;
    mutable Widths m_titleWidths;
    mutable Widths m_strongWidths;
    mutable Widths m_detailWidths;
};

/// How a node is highlighted; no state relies on colour alone.
enum class NodeState : std::uint8_t {
    Plain = 0,
    Selected = 1,  ///< thick frame
    Shared = 2,    ///< dotted frame: the same term as the selected one
    Changed = 4,   ///< a bar at its left edge: not in the compared state
    Gone = 8,      ///< dashed frame: the rewrite under the pointer replaces it
    Root = 16,     ///< double frame: the rewrite under the pointer applies here
    Found = 32,    ///< a ring around it: matches the search text
};

/// The box of one node, painted around (0, 0).
class NodeItem {
public:
    NodeItem(const GraphNode& node, GraphIndex index, const GraphStyle& style);

    [[nodiscard]] GraphIndex index() const { return m_index; }
    void setState(NodeState state, bool on);
    [[nodiscard]] bool is(NodeState state) const { return (m_state & static_cast<unsigned>(state)) != 0; }
    /// The button that shows or hides the nodes behind this one, in item coordinates; empty if there is none.
    [[nodiscard]] QRectF button() const;
    [[nodiscard]] QRectF box() const;
    [[nodiscard]] QPointF pos() const { return m_pos; }
    void setPos(QPointF pos) { m_pos = pos; }
    /// Call this when the node's size or the style's fonts changed.
    void forgetTexts() { m_laidOut = false; }
    /// Bounds of everything that is painted.
    [[nodiscard]] QRectF boundingRect() const;
    void paint(QPainter& painter, double scale);
    /// The colour of the box at small scales.
    [[nodiscard]] QColor farColour() const;
    /// The same, however the node is highlighted.
    [[nodiscard]] QColor familyColour() const;

private:
    [[nodiscard]] QColor ownFill() const;
    struct RowTexts {
        QStaticText tag;
        QStaticText text;
        QStaticText detail;
    };
    void layOutTexts();
    void paintTexts(QPainter& painter);
    void paintBar(QPainter& painter, const QRectF& rect) const;
    void paintHeat(QPainter& painter, const QRectF& rect) const;
    void paintCaption(QPainter& painter) const;
    void layOutRows();
    void paintRowFrames(QPainter& painter) const;
    void paintRow(QPainter& painter, std::size_t row) const;
    [[nodiscard]] QRectF rowBox(std::size_t row) const;

    const GraphNode& m_node;
    GraphIndex m_index;
    const GraphStyle& m_style;
    QPointF m_pos;
    unsigned m_state = 0;
    // Laid out once, when first painted: shaping text takes most of the time of drawing a graph.
    bool m_laidOut = false;
    QStaticText m_caption;
    QStaticText m_title;
    QStaticText m_detail;
    QStaticText m_buttonText;
    std::vector<RowTexts> m_rows;  // laid out when first painted
    double m_tagWidth = 0.0;
    double m_buttonWidth = 0.0;
};

/// All boxes.
class NodeLayer : public QGraphicsItem {
public:
    NodeLayer();

    void clear();
    void add(const GraphNode& node, GraphIndex index, const GraphStyle& style);
    /// Call this after the boxes were moved.
    void moved();
    [[nodiscard]] std::vector<std::unique_ptr<NodeItem>>& items() { return m_items; }
    [[nodiscard]] const std::vector<std::unique_ptr<NodeItem>>& items() const { return m_items; }

    [[nodiscard]] QRectF boundingRect() const override { return m_bounds; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    std::vector<std::unique_ptr<NodeItem>> m_items;
    QRectF m_bounds;
};

/// Frames around groups of nodes.
class FrameLayer : public QGraphicsItem {
public:
    explicit FrameLayer(const GraphStyle& style);

    /// The titles of regions' frames, which edges do not cross.
    class Titles : public QGraphicsItem {
    public:
        explicit Titles(const FrameLayer& frames);
        void prepareChange() { prepareGeometryChange(); }
        [[nodiscard]] QRectF boundingRect() const override { return m_frames.m_bounds; }
        void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

    private:
        const FrameLayer& m_frames;
    };
    /// To be added to the scene, which owns it then.
    [[nodiscard]] Titles* titles() const { return m_titles; }

    struct Frame {
        std::size_t group = 0;
        QRectF rect;  ///< with the title
        QString title;
        bool isRegion = false;
        /// The shape of a region's frame is that of these boxes and of broad lines along the links; empty: it is the rectangle.
        std::vector<QRectF> boxes = {};
        std::vector<QLineF> links = {};
        QPointF titlePlace = {};  ///< of a region: the lower left corner of its title
    };
    void setFrames(std::vector<Frame> frames);
    /// The region whose frame is emphasized, by its group.
    void setChosen(std::optional<std::size_t> group);
    [[nodiscard]] std::optional<std::size_t> chosen() const { return m_chosen; }
    [[nodiscard]] const std::vector<Frame>& frames() const { return m_frames; }
    [[nodiscard]] QRectF titleBox(const Frame& frame) const;
    /// The group whose title is at that point.
    [[nodiscard]] std::optional<std::size_t> titleAt(const QPointF& point) const;
    /// Height of a title line.
    [[nodiscard]] static double titleHeight(const GraphStyle& style);

    [[nodiscard]] QRectF boundingRect() const override { return m_bounds; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    [[nodiscard]] QFont titleFont(const Frame& frame) const;
    void paintBlock(QPainter& painter, const Frame& frame) const;
    void paintRegion(QPainter& painter, const Frame& frame) const;
    void paintTitle(QPainter& painter, const Frame& frame) const;

    const GraphStyle& m_style;
    Titles* m_titles;
    std::vector<Frame> m_frames;
    std::optional<std::size_t> m_chosen;
    QRectF m_bounds;
};

/// Frames of a graph's groups for the current node positions: those that contain no other node, and those of regions.
[[nodiscard]] std::vector<FrameLayer::Frame> groupFrames(const GraphDescription& graph,
                                                         const std::vector<QPointF>& centres, const GraphStyle& style);

/// All edges. Only those near the exposed area are drawn.
class EdgeLayer : public QGraphicsItem {
public:
    explicit EdgeLayer(const GraphStyle& style);

    struct Line {
        QPainterPath path;
        GraphEdge::Kind kind = GraphEdge::Kind::Child;
        bool strong = false;
        QPolygonF head = {};  ///< the arrow head; may be empty
        bool dashed = false;
        bool faint = false;
        double length = 0.0;  ///< from end to end of the edge, of which this may be a piece
        GraphIndex from = 0;
        GraphIndex to = 0;
        QString label = {};
        QPointF labelPlace = {};  ///< the middle of the label
    };
    /// Faint lines are drawn first, strong ones last.
    void setLines(std::vector<Line> lines);
    [[nodiscard]] const std::vector<Line>& lines() const { return m_lines; }
    /// The edges of this node do not fade.
    void setSelected(std::optional<GraphIndex> node);
    /// The number of a line's colour in GraphStyle::edges.
    [[nodiscard]] std::size_t fadeOf(const Line& line) const;

    [[nodiscard]] QRectF boundingRect() const override { return m_bounds; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    [[nodiscard]] QRectF labelBox(const Line& line) const;

    const GraphStyle& m_style;
    std::vector<Line> m_lines;
    std::vector<QRectF> m_boxes;  // bounds of the lines
    std::optional<GraphIndex> m_selected;
    QRectF m_bounds;
};

}  // namespace mitos::views
