// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/sparkline.h"

#include "views/theme/theme.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace mitos::views {

namespace {

constexpr double LineWidth = 1.5;
constexpr double DotRadius = 2.5;
constexpr double LogarithmicFrom = 100.0;  // the ratio of the costs
constexpr float FillStrength = 0.12F;

/// The points with both scales applied, from (0, 0) to (1, 1), where 1 is the highest cost.
QList<QPointF> scaled(const QList<QPointF>& points) {
    const auto isFinite = [](const QPointF& point) { return std::isfinite(point.x()) && std::isfinite(point.y()); };
    if (points.size() < 2 || !std::ranges::all_of(points, isFinite)) return {};
    const auto [low, high] = std::ranges::minmax_element(points, {}, &QPointF::y);
    const bool isLogarithmic = low->y() > 0 && high->y() > LogarithmicFrom * low->y();
    const auto height = [&](double cost) { return isLogarithmic ? std::log(cost) : cost; };
    const double bottom = height(low->y());
    const double range = height(high->y()) - bottom;
    const double last = std::log1p(std::max(0.0, points.last().x()));
    QList<QPointF> made;
    for (const QPointF& point : points) {
        made << QPointF(last > 0 ? std::log1p(std::max(0.0, point.x())) / last : 0.0,
                        range > 0 ? (height(point.y()) - bottom) / range : 0.0);
    }
    return made;
}

}  // namespace

void drawSparkline(QPainter& painter, const QRectF& room, const QList<QPointF>& points, const Theme& theme) {
    const QList<QPointF> curve = scaled(points);
    if (curve.isEmpty()) return;
    const QRectF inner = room.adjusted(DotRadius, DotRadius, -DotRadius - 1, -DotRadius - 1);
    const auto place = [&inner](const QPointF& point) {
        return QPointF(inner.left() + point.x() * inner.width(), inner.bottom() - point.y() * inner.height());
    };
    QPainterPath line(QPointF(inner.left(), place(curve.first()).y()));
    for (const QPointF& point : curve) {
        const QPointF at = place(point);
        line.lineTo(at.x(), line.currentPosition().y());
        line.lineTo(at);
    }
    const QPointF end = line.currentPosition();
    QPainterPath area = line;
    area.lineTo(end.x(), room.bottom());
    area.lineTo(inner.left(), room.bottom());
    area.closeSubpath();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QColor fill = theme.better();
    fill.setAlphaF(FillStrength);
    painter.fillPath(area, fill);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.better(), LineWidth, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.drawPath(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.best());
    painter.drawEllipse(end, DotRadius, DotRadius);
    painter.restore();
}

}  // namespace mitos::views
