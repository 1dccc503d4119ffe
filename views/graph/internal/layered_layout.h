// SPDX-License-Identifier: GPL-3.0-or-later
// The built-in layout, fast enough to be shown at once: layers, few crossings, fairly straight edges.
#pragma once

#include "views/graph/graph.h"

namespace mitos::views {

/// Layered drawing after Sugiyama, Tagawa and Toda (1981): cycles broken, layers by longest path, four barycentre
/// sweeps to reduce crossings (the order of a tree's children is kept), positions by least squares; components side by
/// side. Edges turn in each layer that they pass, except for the longest of graphs that would have too many turns. Takes about a
/// millisecond for a thousand nodes. Node sizes must be set.
[[nodiscard]] GraphLayout layeredLayout(const GraphDescription& graph, GraphDirection direction);

/// Moves the start of a route to a row of its box, where it leaves at the side.
[[nodiscard]] std::vector<QPointF> routeFromRow(std::vector<QPointF> route, const QRectF& box, double rowY,
                                                GraphDirection direction);
/// The route of an edge back to its own box, starting at that height on its side.
[[nodiscard]] std::vector<QPointF> loopRoute(const QRectF& box, double fromY);

/// A route from one box to another that leaves and arrives along the layout direction.
[[nodiscard]] std::vector<QPointF> directRoute(const QRectF& from, const QRectF& to, GraphDirection direction);

}  // namespace mitos::views
