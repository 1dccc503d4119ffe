// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the cells of a heatmap.
#pragma once

#include <QStyledItemDelegate>

namespace mitos::views {

/// Colours cells by a share, and shows their numbers if they are wide enough.
class HeatDelegate final : public QStyledItemDelegate {
public:
    static constexpr int ShareRole = Qt::UserRole;        ///< 0…1; negative: nothing happened
    static constexpr int CrossedRole = Qt::UserRole + 1;  ///< true: a cell without a share is crossed out

    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace mitos::views
