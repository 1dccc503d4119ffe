// SPDX-License-Identifier: GPL-3.0-or-later
// A graph to be drawn, and where everything goes: plain data, between what makes graphs, what lays them out and what
// paints them.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <Qt>
#include <cstdint>
#include <vector>

namespace mitos::views {

/// Number of a node in its graph.
using GraphIndex = std::uint32_t;

/// One of the lines of a box that edges may leave from.
struct GraphRow {
    QString text;
    QString detail;                  ///< at the other end, smaller
    QString tag;                     ///< a letter or sign before the text
    bool strong = false;             ///< bold
    bool faint = false;              ///< crossed out and pale
    Qt::PenStyle frame = Qt::NoPen;  ///< around the row
};

struct GraphNode {
    QString title;
    QString detail;              ///< a second, smaller line; may be empty
    std::vector<GraphRow> rows;  ///< below title and detail, which are its head then
    bool doubleFrame = false;
    double share = -1.0;        ///< drawn as a bar, 0…1; negative: none
    std::vector<double> parts;  ///< of the bar, each in another colour; they add up to 1; empty: one colour
    QString caption;            ///< below the box, at the beginning of its edges: what they carry
    bool removed = false;       ///< not in this state any more: dashed, in the colour of what goes
    bool leads = false;         ///< edges leave from below the caption: a line joins them to the box
    std::uint64_t hidden = 0;   ///< nodes behind this one that are not part of the graph
    bool expandable = false;    ///< has a button that shows or hides what is behind it
    QString toolTip;
    QSizeF size;  ///< set by the view, from its font; so are these:
    double headHeight = 0.0;
    double rowHeight = 0.0;
    double captionHeight = 0.0;  ///< part of the size, not of the box

    /// Distance of a row's middle from that of the box.
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
    int fromRow = -1;     ///< where it leaves; negative: anywhere on the box
    bool strong = false;  ///< a thicker line
    bool dashed = false;  ///< of or to a node that is not there any more
};

/// Nodes with a frame around them, drawn where no other node would be inside of it.
struct GraphGroup {
    QString title;  ///< at the frame; a click on it is told
    std::vector<GraphIndex> members;
    int depth = 0;  ///< frames within it
};

struct GraphDescription {
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
    std::vector<GraphGroup> groups;  ///< outer ones first
    bool ordered = false;            ///< the order of a node's edges means something (arguments)
    bool arrows = false;             ///< edges have heads: the layout alone does not say where they lead
};

enum class GraphDirection { Down, Right };

/// Centres of nodes and courses of edges; y grows downwards.
struct GraphLayout {
    std::vector<QPointF> centres;
    /// One an edge, from its `from` to its `to`: the control points of cubic curves that hang together (1 + 3 n of them).
    /// Empty for references and for edges from a node to itself.
    std::vector<std::vector<QPointF>> routes;
    QRectF bounds;
};

}  // namespace mitos::views
