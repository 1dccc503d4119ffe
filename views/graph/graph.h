// SPDX-License-Identifier: GPL-3.0-or-later
// A graph to be drawn, and its layout: plain data shared by the code that builds graphs, lays them out and paints them.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <Qt>
#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::views {

/// Number of a node in its graph.
using GraphIndex = std::uint32_t;

/// A line of a box; edges may start at it.
struct GraphRow {
    QString text;
    QString detail;                  ///< at the other end of the row, smaller
    QString tag;                     ///< a letter or sign drawn before the text
    bool strong = false;             ///< bold
    bool faint = false;              ///< crossed out and pale
    Qt::PenStyle frame = Qt::NoPen;  ///< outline around the row
};

struct GraphNode {
    QString title;
    QString detail;              ///< a second, smaller line; may be empty
    std::vector<GraphRow> rows;  ///< drawn below title and detail, which then form the head
    bool doubleFrame = false;
    double share = -1.0;              ///< drawn as a bar, 0…1; no bar if negative
    std::vector<double> parts;        ///< of the bar, each in another colour, adding up to 1; empty: one colour
    QString caption;                  ///< below the box, where its edges start: the value they carry
    int fill = -1;                    ///< number of the fill, one of Theme::fill(); the usual background if negative
    std::optional<double> heat = {};  ///< 0…1: drawn as the fill, in place of `fill`, and as a gauge at the right edge
    QString note = {};                ///< what the heat means: more lines of the tool tip
    bool removed = false;             ///< not in this state any more; drawn dashed, in the colour of removed parts
    bool leads = false;               ///< edges leave from below the caption, joined to the box by a line
    std::uint64_t hidden = 0;         ///< number of nodes behind this one that are not in the graph
    bool expandable = false;          ///< has a button that shows or hides the nodes behind it
    QString toolTip;
    QSizeF size;  ///< set by the view from its font, like the following fields
    double headHeight = 0.0;
    double rowHeight = 0.0;
    double captionHeight = 0.0;  ///< included in `size`, but outside the box

    /// Vertical offset of a row's middle from the middle of the box.
    [[nodiscard]] double rowMiddle(int row) const { return headHeight + (row + 0.5) * rowHeight - size.height() / 2; }
};

struct GraphEdge {
    enum class Kind {
        Child,      ///< decides the layout
        Reference,  ///< dashed, drawn over it
    };
    GraphIndex from = 0;
    GraphIndex to = 0;
    Kind kind = Kind::Child;
    int fromRow = -1;     ///< the row where it starts; anywhere on the box if negative
    bool strong = false;  ///< a thicker line, drawn above the others
    bool dashed = false;  ///< an edge of a removed node
    bool faint = false;   ///< beside what matters: a pale line, drawn below the others
    QString label = {};   ///< written on the line, near its end
};

/// A group of nodes. Its frame is a rectangle, drawn only if it would contain no other node.
struct GraphGroup {
    QString title;  ///< on the frame; clicking it emits GraphView::groupClicked()
    std::vector<GraphIndex> members;
    int depth = 0;  ///< levels of frames nested in it
    /// Drawn in any case: where a rectangle would contain another node, the frame follows the members and the edges among them. It is drawn over
    /// other frames, and can be chosen (GraphView::setChosenGroup).
    bool isRegion = false;
};

struct GraphDescription {
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
    std::vector<GraphGroup> groups;  ///< outer groups first
    bool ordered = false;            ///< the order of a node's edges matters (arguments)
    bool arrows = false;             ///< edges have heads, because the layout alone does not show their direction
};

enum class GraphDirection { Down, Right };

/// Centres of nodes and routes of edges; y grows downwards.
struct GraphLayout {
    std::vector<QPointF> centres;
    /// One route per edge, from its `from` to its `to`: the control points of connected cubic curves (1 + 3 n of them).
    /// Empty for references and for edges from a node to itself.
    std::vector<std::vector<QPointF>> routes;
    QRectF bounds;
};

}  // namespace mitos::views
