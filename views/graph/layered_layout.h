// SPDX-License-Identifier: GPL-3.0-or-later
// The layout that is always there at once: layers, few crossings, straight enough.
#pragma once

#include "views/graph/graph.h"

namespace mitos::views {

/// Layered drawing after Sugiyama, Tagawa and Toda (1981): cycles opened, layers by longest path, four barycentre sweeps
/// against crossings (the order of a tree's children is never changed), positions by least squares; components side by
/// side. Takes about a millisecond for a thousand nodes. Node sizes must be set.
[[nodiscard]] GraphLayout layeredLayout(const GraphDescription& graph, GraphDirection direction);

/// The course with its beginning moved to a row of its box: there it leaves at the side.
[[nodiscard]] std::vector<QPointF> routeFromRow(std::vector<QPointF> route, const QRectF& box, double rowY,
                                                GraphDirection direction);
/// The course of an edge that comes back to its own box, from that height on its side.
[[nodiscard]] std::vector<QPointF> loopRoute(const QRectF& box, double fromY);

/// A course from one box to another that leaves and arrives along the direction of the layout.
[[nodiscard]] std::vector<QPointF> directRoute(const QRectF& from, const QRectF& to, GraphDirection direction);

}  // namespace mitos::views
