// SPDX-License-Identifier: GPL-3.0-or-later
// Badges: words in rounded frames, drawn by delegates.
#pragma once

#include <QColor>
#include <QRect>
#include <QString>

class QPainter;

namespace mitos::views {

inline constexpr int BadgeGap = 6;  ///< pixels beside a badge, and beside its word

/// Draws a word in a rounded frame at the left of the room, if it fits, and returns the room at its right.
QRect drawBadge(QPainter& painter, QRect room, const QString& text, const QColor& colour, const QColor& frame);

}  // namespace mitos::views
