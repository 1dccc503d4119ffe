// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/internal/run_delegate.h"

#include "views/common/badge.h"
#include "views/common/format.h"
#include "views/compare/compare_filter.h"
#include "views/compare/compare_model.h"
#include "views/plot/plot_panel.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QPainter>
#include <QPolygonF>

namespace mitos::views {

namespace {

constexpr int RowAir = 11;
constexpr int SwatchWidth = 26;
constexpr int SwatchGap = 8;
constexpr int CurveWidth = 120;
constexpr int CurveMargin = 5;
constexpr int CurveSideMargin = 16;

/// The steps of a curve inside the unit square, in pixels.
QPolygonF stepsIn(const QRectF& room, const QPolygonF& curve) {
    QPolygonF line;
    for (const QPointF& point : curve) {
        const QPointF at(room.left() + point.x() * room.width(), room.top() + point.y() * room.height());
        if (!line.isEmpty()) line << QPointF(at.x(), line.back().y());
        line << at;
    }
    return line;
}

}  // namespace

RunDelegate::RunDelegate(const CompareModel& model, const CompareFilter& filter, QObject* parent)
    : QStyledItemDelegate(parent),
      m_model(model),
      m_filter(filter) {}

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QModelIndex row = m_filter.mapToSource(index);
    const bool isStrategy = row.column() == CompareModel::StrategyColumn && !row.parent().isValid();
    if (!isStrategy && row.column() != CompareModel::CurveColumn) {
        QStyleOptionViewItem shown = option;
        if (!row.parent().isValid() &&
            (row.column() == CompareModel::BestColumn || row.column() == CompareModel::ChangeColumn))
            shown.font.setWeight(QFont::DemiBold);
        QStyledItemDelegate::paint(painter, shown, index);
        return;
    }
    QStyleOptionViewItem background = option;
    initStyleOption(&background, index);
    background.text.clear();
    const QStyle& style = option.widget != nullptr ? *option.widget->style() : *QApplication::style();
    style.drawControl(QStyle::CE_ItemViewItem, &background, painter, option.widget);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (isStrategy) {
        paintStrategy(*painter, option, row);
    } else if (const auto group = m_model.groupAt(row)) {
        const QRectF room = QRectF(option.rect).adjusted(CurveSideMargin, CurveMargin, -CurveSideMargin, -CurveMargin);
        painter->setPen(QPen(Theme(option.palette).category(m_model.style(*group).colour), 1.5));
        painter->drawPolyline(stepsIn(room, row.data(CompareModel::CurveRole).value<QPolygonF>()));
    }
    painter->restore();
}

void RunDelegate::paintStrategy(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& row) const {
    const Theme theme(option.palette);
    const auto group = static_cast<std::size_t>(row.row());
    QRect room = option.rect.adjusted(4, 0, -4, 0);
    painter.setPen(PlotPanel::pen(theme, m_model.style(group), false));
    painter.drawLine(QPointF(room.left(), room.center().y() + 0.5),
                     QPointF(room.left() + SwatchWidth, room.center().y() + 0.5));
    room.setLeft(room.left() + SwatchWidth + SwatchGap);
    QFont strong = option.font;
    strong.setWeight(QFont::DemiBold);
    const auto write = [&](const QFont& font, const QColor& colour, const QString& text) {
        painter.setFont(font);
        painter.setPen(colour);
        const QString shown = elided(text, painter.fontMetrics(), room.width());
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, shown);
        room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(shown) + SwatchGap);
    };
    write(strong, option.palette.color(QPalette::Text), m_model.strategy(group));
    const auto baseline = m_model.baselineOf(group);
    painter.setFont(smallFont(option.font));
    if (m_model.isBest(group)) {
        const QRect left = drawBadge(painter, room, CompareModel::tr("★ best"), theme.best(), theme.best());
        room.setLeft(left.left());
    }
    if (baseline == group)
        room = drawBadge(painter, room, CompareModel::tr("baseline"), theme.faintText(), theme.border());
    if (const QString own = m_model.parameters(group); !own.isEmpty())
        write(smallFont(option.font), theme.faintText(), own);
}

QSize RunDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(option.fontMetrics.height() + RowAir);
    if (index.column() == CompareModel::CurveColumn) size.setWidth(CurveWidth);
    return size;
}

}  // namespace mitos::views
