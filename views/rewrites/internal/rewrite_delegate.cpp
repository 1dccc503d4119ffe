// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of rewrites.
#include "views/rewrites/internal/rewrite_delegate.h"

#include "views/common/badge.h"
#include "views/common/format.h"
#include "views/rewrites/rewrite_groups.h"
#include "views/theme/theme.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr int Margin = 8;     // left and right
constexpr int RowMargin = 6;  // above and below
constexpr int LineGap = 3;
constexpr int Indent = 12;  // of the rewrites in an open group
constexpr int ArrowWidth = 8;
constexpr int ArrowGap = 4;

QFont strongFont(QFont font) {
    font.setWeight(QFont::DemiBold);
    return font;
}

/// An arrow at the right of the room: to the right, or down if the group is open.
void drawArrow(QPainter& painter, const QRect& room, bool isOpen, const QColor& colour) {
    const QPointF centre(room.right() + 1 - ArrowWidth / 2.0, room.center().y() + 1.0);
    const double half = ArrowWidth / 2.0 - 0.5;
    painter.setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    if (isOpen) {
        painter.drawPolyline(QPolygonF(
            {centre + QPointF(-half, -half / 2), centre + QPointF(0, half / 2), centre + QPointF(half, -half / 2)}));
    } else {
        painter.drawPolyline(QPolygonF(
            {centre + QPointF(-half / 2, -half), centre + QPointF(half / 2, 0), centre + QPointF(-half / 2, half)}));
    }
}

}  // namespace

struct RewriteDelegate::FirstLine {
    QString change;
    QString rule;
    QString count;  ///< of a group
    QRect room;     ///< of the whole line
    QRect countRoom;
    QRect rest;  ///< between the rule or the count and the change
};

RewriteDelegate::RewriteDelegate(const RewriteGroups& groups, const RewritesModel& model, QObject* parent)
    : QStyledItemDelegate(parent),
      m_groups(groups),
      m_model(model) {}

int RewriteDelegate::rowHeight(const QFont& font) {
    return QFontMetrics(font).height() + QFontMetrics(programFont(-1)).height() + LineGap + 2 * RowMargin;
}

RewriteDelegate::FirstLine RewriteDelegate::firstLine(const QRect& row, const QFont& font,
                                                      const QModelIndex& index) const {
    const RewriteGroup* group = m_groups.group(index);
    const QFontMetrics strong(strongFont(font));
    const int left = m_groups.isMember(index) ? Margin + Indent : Margin;
    FirstLine line;
    line.room = QRect(row.left() + left, row.top() + RowMargin, row.width() - left - Margin, strong.height());
    const double before = m_model.rewrites().costBefore();
    line.change = group != nullptr ? m_groups.changeText(*group)
                                   : differenceText(before, before + m_model.rewrites().delta(m_groups.source(index)));
    line.rest = line.room;
    // The change and the count are never cut off; the rule's name is shortened instead.
    line.rest.setRight(line.room.right() - strong.horizontalAdvance(line.change) - Margin);
    if (group != nullptr) line.count = QStringLiteral("×%L1").arg(static_cast<int>(group->rows.size()));
    const int countWidth =
        group == nullptr ? 0 : strong.horizontalAdvance(line.count) + BadgeGap + ArrowGap + ArrowWidth;
    const QString rule = m_model.index(m_groups.source(index), RewritesModel::RuleColumn).data().toString();
    line.rule = elided(rule, strong, std::max(0, line.rest.width() - countWidth));
    line.rest.setLeft(line.rest.left() + strong.horizontalAdvance(line.rule));
    if (group != nullptr) {
        line.countRoom = QRect(line.rest.left() + BadgeGap, line.room.top(), countWidth - BadgeGap, line.room.height());
        line.rest.setLeft(line.rest.left() + countWidth);
    }
    line.rest.setLeft(line.rest.left() + BadgeGap);
    return line;
}

QRect RewriteDelegate::countRect(const QRect& row, const QFont& font, const QModelIndex& index) const {
    const QRect room = firstLine(row, font, index).countRoom;
    return room.isEmpty() ? QRect() : room.adjusted(-BadgeGap / 2, -RowMargin, BadgeGap / 2, LineGap);
}

void RewriteDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const RewriteRow& row = m_groups.rewrite(index);
    const RewriteGroup* group = m_groups.group(index);
    const Theme theme(option.palette);
    const double delta =
        group != nullptr && group->least == 0 ? group->most : m_model.rewrites().delta(m_groups.source(index));
    const auto cell = [&](int column) { return index.siblingAtColumn(column).data().toString(); };
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(option.rect, option.palette.highlight());
    else if (option.state.testFlag(QStyle::State_MouseOver))
        painter->fillRect(option.rect, theme.hovered());
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), theme.line());
    if (m_groups.isMember(index)) {
        painter->fillRect(QRect(option.rect.left() + Margin + 2, option.rect.top(), 1, option.rect.height()),
                          theme.border());
    }
    const FirstLine first = firstLine(option.rect, option.font, index);
    const QFont strong = strongFont(option.font);
    painter->setFont(delta != 0 ? strong : option.font);
    painter->setPen(delta < 0 ? theme.better() : delta > 0 ? theme.worse() : theme.faintText());
    painter->drawText(first.room, Qt::AlignRight | Qt::AlignVCenter, first.change);
    painter->setFont(strong);
    painter->setPen(option.palette.color(QPalette::Text));
    painter->drawText(first.room, Qt::AlignLeft | Qt::AlignVCenter, first.rule);
    if (group != nullptr) {
        painter->drawText(first.countRoom, Qt::AlignLeft | Qt::AlignVCenter, first.count);
        drawArrow(*painter, first.countRoom, group->isOpen, theme.faintText());
    }
    painter->setFont(smallFont(option.font));
    const bool isDoubtful = m_model.isDoubtful(row);
    const QRect rest =
        drawBadge(*painter, first.rest, cell(RewritesModel::SoundnessColumn),
                  isDoubtful ? theme.worse() : theme.faintText(), isDoubtful ? theme.worse() : theme.border());
    if (const QString seen = cell(RewritesModel::SeenColumn); !seen.isEmpty()) {
        painter->setPen(theme.faintText());
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, seen);
    }

    painter->setFont(programFont(-1));
    painter->setPen(theme.faintText());
    const int secondHeight = painter->fontMetrics().height();
    const QRect second(first.room.left(), option.rect.bottom() - RowMargin - secondHeight + 1, first.room.width(),
                       secondHeight);
    painter->drawText(
        second, Qt::AlignLeft | Qt::AlignVCenter,
        elided(group != nullptr ? m_groups.subtermsText(*group) : row.shown, painter->fontMetrics(), second.width()));
    painter->restore();
}

}  // namespace mitos::views
