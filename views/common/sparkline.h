// SPDX-License-Identifier: GPL-3.0-or-later
// A small curve without axes: the best cost of a search against the expressions it evaluated.
#pragma once

#include <QList>
#include <QPointF>
#include <QRectF>

class QPainter;

namespace mitos::views {

class Theme;

/// Draws steps from point to point (evaluations, cost), with a dot at the last one. Evaluations are on a logarithmic scale; costs too,
/// if they range over a factor of more than a hundred. Draws nothing for fewer than two points, or if a number is not finite.
void drawSparkline(QPainter& painter, const QRectF& room, const QList<QPointF>& points, const Theme& theme);

}  // namespace mitos::views
