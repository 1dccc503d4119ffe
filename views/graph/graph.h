// SPDX-License-Identifier: GPL-3.0-or-later
// A graph to be drawn, and where everything goes: plain data, between what makes graphs, what lays them out and what
// paints them.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <cstdint>
#include <vector>

namespace mitos::views {

/// Number of a node in its graph.
using GraphIndex = std::uint32_t;

struct GraphNode {
    QString title;
    QString detail;            ///< a second, smaller line; may be empty
    double share = -1.0;       ///< drawn as a bar, 0…1; negative: none
    std::uint64_t hidden = 0;  ///< nodes behind this one that are not part of the graph
    bool expandable = false;   ///< has a button that shows or hides what is behind it
    QString toolTip;
    QSizeF size;  ///< set by the view, from its font
};

struct GraphEdge {
    enum class Kind {
        Child,      ///< decides the layout
        Reference,  ///< dashed, drawn over it
    };
    GraphIndex from = 0;
    GraphIndex to = 0;
    Kind kind = Kind::Child;
};

struct GraphDescription {
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
    bool ordered = false;  ///< the order of a node's edges means something (arguments)
};

enum class GraphDirection { Down, Right };

/// Centres of nodes and courses of edges; y grows downwards.
struct GraphLayout {
    std::vector<QPointF> centres;
    /// One an edge: the control points of cubic curves that hang together (1 + 3 n of them). Empty for references.
    std::vector<std::vector<QPointF>> routes;
    QRectF bounds;
};

}  // namespace mitos::views
