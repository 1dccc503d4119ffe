// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of the history.
#include "views/history/internal/history_tree.h"

#include "views/common/format.h"
#include "views/history/history_filter.h"
#include "views/theme/theme.h"

#include <QEvent>
#include <QPainter>
#include <QPainterPath>

namespace mitos::views {

namespace {

constexpr int LineGap = 2;
constexpr int RowMargin = 5;   // above and below
constexpr int TextMargin = 6;  // left and right
constexpr int LaneWidth = 20;
constexpr double DotRadius = 4.5;
constexpr double BestRadius = 8.0;
constexpr double LaneLine = 2.0;

QColor textColour(const QStyleOptionViewItem& option) { return option.palette.color(QPalette::Text); }

/// Draws a text and returns the rest of the room, at its left if the text is at the right.
QRect drawPart(QPainter& painter, const QRect& room, Qt::Alignment side, const QString& text) {
    const int width = std::min(room.width(), painter.fontMetrics().horizontalAdvance(text));
    painter.drawText(room, side | Qt::AlignVCenter, elided(text, painter.fontMetrics(), room.width()));
    return side == Qt::AlignRight ? room.adjusted(0, 0, -width - TextMargin, 0)
                                  : room.adjusted(width + TextMargin, 0, 0, 0);
}

}  // namespace

HistoryRowDelegate::HistoryRowDelegate(HistoryFilter& filter, QObject* parent)
    : QStyledItemDelegate(parent),
      m_filter(filter) {}

void HistoryRowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const HistoryRow row = m_filter.history().row(m_filter.mapToSource(index));
    const Theme theme(option.palette);
    painter->save();
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(option.rect, option.palette.highlight());
    else if (option.state.testFlag(QStyle::State_MouseOver))
        painter->fillRect(option.rect, theme.hovered());
    const QRect room = option.rect.adjusted(TextMargin, RowMargin, -TextMargin, -RowMargin);
    QFont strong = option.font;
    strong.setWeight(row.isCurrent ? QFont::Bold : QFont::Medium);
    const QFont small = smallFont(option.font);
    const int firstHeight = QFontMetrics(strong).height();

    painter->setFont(strong);
    painter->setPen(textColour(option));
    QRect first(room.left(), room.top(), room.width(), firstHeight);
    // The cost is never cut off; the title is shortened instead.
    first = drawPart(*painter, first, Qt::AlignRight, row.cost);
    if (!row.tag.isNull()) {
        const QRect place(first.left(), first.center().y() - 6, 13, 13);
        row.tag.paint(painter, place);
        first.setLeft(place.right() + TextMargin);
    }
    // The star of a state that is hidden in a folded row is on that row.
    const bool hidesBest = row.holdsBest && !option.state.testFlag(QStyle::State_Open);
    const QString star = hidesBest && (row.kind != RowKind::State || !row.isBest) ? QStringLiteral("★ ") : QString();
    drawPart(*painter, first, Qt::AlignLeft, star + row.marks + row.title);

    painter->setFont(small);
    QRect second(room.left(), room.top() + firstHeight + LineGap, room.width(), QFontMetrics(small).height());
    painter->setPen(row.delta < 0 ? theme.better() : row.delta > 0 ? theme.worse() : theme.faintText());
    second = drawPart(*painter, second, Qt::AlignRight, row.change);
    painter->setPen(theme.faintText());
    drawPart(*painter, second, Qt::AlignLeft, row.detail);
    painter->restore();
}

QSize HistoryRowDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const {
    return {100, QFontMetrics(option.font).height() + LineGap + QFontMetrics(smallFont(option.font)).height() +
                     2 * RowMargin};
}

void HistoryRowDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                              const QModelIndex& /*index*/) const {
    editor->setGeometry(
        QRect(option.rect.left(), option.rect.top() + 2, option.rect.width() - 4, editor->sizeHint().height()));
}

HistoryTree::HistoryTree(HistoryFilter& filter, QWidget* parent) : QTreeView(parent), m_filter(filter) {
    setModel(&filter);
    setItemDelegate(new HistoryRowDelegate(filter, this));
    fitLanes();
    setHeaderHidden(true);
    setFrameShape(QFrame::NoFrame);
}

/// A lane has room for the number of steps of a folded run or repetition.
void HistoryTree::fitLanes() {
    setIndentation(std::max(LaneWidth, QFontMetrics(smallFont(font())).horizontalAdvance(QStringLiteral("000")) + 2));
}

void HistoryTree::changeEvent(QEvent* event) {
    QTreeView::changeEvent(event);
    if (event->type() == QEvent::FontChange) fitLanes();
}

/// The lanes beside a row. A state continues the state in the row above it in the same lane. A branch begins in the lane at its left, at
/// the state that it leaves, so that runs from one state stand below each other without a line between them.
void HistoryTree::drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const {
    const Theme theme(palette());
    const HistoryRow row = m_filter.history().row(m_filter.mapToSource(index));
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (selectionModel()->isSelected(index)) painter->fillRect(rect, palette().highlight());
    const auto laneX = [&](int level) { return rect.left() + (level + 0.5) * indentation(); };
    int level = 0;
    for (QModelIndex above = index.parent(); above.isValid(); above = above.parent()) ++level;
    const double top = rect.top();
    const double middle = rect.top() + rect.height() / 2.0;
    const double bottom = rect.bottom() + 1;
    const QPointF dot(laneX(level), middle);
    const bool isOpen = isExpanded(index);
    const bool hasOpenBranches = isOpen && m_filter.hasChildren(index);
    const bool goesOn = m_filter.isContinued(index);
    painter->setPen(QPen(theme.handle(), LaneLine));
    // The lanes of the states that this one is below of go on to what continues them, and to their later branches.
    QModelIndex below = index;
    for (int lane = level - 1; lane >= 0; --lane, below = below.parent()) {
        if (m_filter.isContinued(below.parent()) || m_filter.hasLaterBranch(below))
            painter->drawLine(QPointF(laneX(lane), top), QPointF(laneX(lane), bottom));
    }
    const bool beginsHere = index.parent().isValid() && (row.isBranch || index.row() == 0);
    if (beginsHere) {
        QPainterPath path(QPointF(laneX(level - 1), top));
        path.cubicTo(QPointF(laneX(level - 1), middle), QPointF(dot.x(), top), dot);
        painter->drawPath(path);
    } else if (index.row() > 0) {
        painter->drawLine(QPointF(dot.x(), top), dot);
    }
    if (goesOn || hasOpenBranches) painter->drawLine(dot, QPointF(dot.x(), bottom));
    const bool isBest = row.isBest || (row.holdsBest && !isOpen);
    const bool isChanged = row.delta != 0.0;
    const QColor colour = isBest || row.kind == RowKind::Run ? theme.best()
                          : row.isCurrent                    ? theme.accent()
                          : isChanged                        ? (row.delta < 0 ? theme.better() : theme.worse())
                                                             : theme.faintText();
    if (row.kind != RowKind::State) {
        const QString count = row.steps > 999 ? QStringLiteral("…") : QString::number(row.steps);
        painter->setFont(smallFont(font()));
        const double width = std::max(16, painter->fontMetrics().horizontalAdvance(count) + 6);
        const double height = std::max(16, painter->fontMetrics().height());
        const QRectF pill(dot.x() - std::min(width, 1.0 * indentation()) / 2, middle - height / 2, width, height);
        painter->setPen(Qt::NoPen);
        painter->setBrush(colour);
        painter->drawRoundedRect(pill, 4, 4);
        painter->setPen(palette().color(QPalette::Base));
        painter->drawText(pill, Qt::AlignCenter, isOpen ? QStringLiteral("−") : count);
    } else {
        painter->setPen(QPen(palette().color(QPalette::Base), 1.0));
        painter->setBrush(colour);
        const double radius = row.isBest ? BestRadius : row.isCurrent ? DotRadius + 1.5 : DotRadius;
        painter->drawEllipse(dot, radius, radius);
        painter->setPen(palette().color(QPalette::Base));
        painter->setFont(smallFont(font()));
        if (row.isBest)
            painter->drawText(QRectF(dot.x() - 10, dot.y() - 10, 20, 20), Qt::AlignCenter, QStringLiteral("★"));
        if (row.isCurrent) {
            painter->setPen(QPen(theme.accent(), 1.5));
            painter->setBrush(Qt::NoBrush);
            painter->drawEllipse(dot, radius + 2, radius + 2);
        }
        // Branches that are folded: the lane ends in three dots.
        if (!isOpen && m_filter.hasChildren(index)) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(theme.faintText());
            for (int i = 0; i < 3; ++i)
                painter->drawEllipse(QPointF(dot.x() + indentation() / 2.0 + 3 * i, bottom - 6), 1.0, 1.0);
        }
    }
    painter->restore();
}

}  // namespace mitos::views
