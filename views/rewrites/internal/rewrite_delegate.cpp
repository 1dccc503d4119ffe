// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of rewrites.
#include "views/rewrites/internal/rewrite_delegate.h"

#include "views/common/badge.h"
#include "views/common/format.h"
#include "views/rewrites/rewrites_model.h"
#include "views/theme/theme.h"

#include <QPainter>

namespace mitos::views {

namespace {

constexpr int Margin = 8;     // left and right
constexpr int RowMargin = 6;  // above and below
constexpr int LineGap = 3;

}  // namespace

RewriteDelegate::RewriteDelegate(const RewritesFilter& filter, const RewritesModel& model, QObject* parent)
    : QStyledItemDelegate(parent),
      m_filter(filter),
      m_model(model) {}

int RewriteDelegate::rowHeight(const QFont& font) {
    return QFontMetrics(font).height() + QFontMetrics(programFont(-1)).height() + LineGap + 2 * RowMargin;
}

void RewriteDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const RewriteRow& row = m_filter.rewrite(index);
    const Theme theme(option.palette);
    const double delta = m_model.delta(row);
    const auto cell = [&](int column) { return index.siblingAtColumn(column).data().toString(); };
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(option.rect, option.palette.highlight());
    else if (option.state.testFlag(QStyle::State_MouseOver))
        painter->fillRect(option.rect, theme.hovered());
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), theme.line());
    const QRect room = option.rect.adjusted(Margin, RowMargin, -Margin, -RowMargin);
    QFont strong = option.font;
    strong.setWeight(QFont::DemiBold);
    painter->setFont(strong);
    QRect first(room.left(), room.top(), room.width(), painter->fontMetrics().height());
    // The change is never cut off; the rule's name is shortened instead.
    const QString change = differenceText(m_model.costBefore(), m_model.costBefore() + delta);
    painter->setFont(option.font);
    if (delta != 0) painter->setFont(strong);
    painter->setPen(delta < 0 ? theme.better() : delta > 0 ? theme.worse() : theme.faintText());
    painter->drawText(first, Qt::AlignRight | Qt::AlignVCenter, change);
    first.setRight(first.right() - painter->fontMetrics().horizontalAdvance(change) - Margin);
    painter->setFont(strong);
    painter->setPen(option.palette.color(QPalette::Text));
    const QString rule =
        painter->fontMetrics().elidedText(cell(RewritesModel::RuleColumn), Qt::ElideRight, first.width());
    painter->drawText(first, Qt::AlignLeft | Qt::AlignVCenter, rule);
    first.setLeft(first.left() + painter->fontMetrics().horizontalAdvance(rule) + BadgeGap);
    painter->setFont(smallFont(option.font));
    const bool isDoubtful = m_model.isDoubtful(row);
    first = drawBadge(*painter, first, cell(RewritesModel::SoundnessColumn),
                      isDoubtful ? theme.worse() : theme.faintText(), isDoubtful ? theme.worse() : theme.border());
    if (const QString seen = cell(RewritesModel::SeenColumn); !seen.isEmpty()) {
        painter->setPen(theme.faintText());
        painter->drawText(first, Qt::AlignLeft | Qt::AlignVCenter, seen);
    }

    painter->setFont(programFont(-1));
    painter->setPen(theme.faintText());
    const int secondHeight = painter->fontMetrics().height();
    const QRect second(room.left(), room.bottom() - secondHeight + 1, room.width(), secondHeight);
    painter->drawText(second, Qt::AlignLeft | Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(row.shown, Qt::ElideRight, second.width()));
    painter->restore();
}

}  // namespace mitos::views
