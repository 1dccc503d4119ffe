// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a share of the cost as a bar behind its number.
#pragma once

#include "views/program/program_tree_model.h"
#include "views/theme/theme.h"

#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>

namespace mitos::views {

class ShareDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const double share = index.data(ProgramTreeModel::ShareRole).toDouble();
        if (share > 0.0 && !option.state.testFlag(QStyle::State_Selected)) {
            const QRect room = option.rect.adjusted(2, 2, -2, -2);
            const int width = std::max(1, static_cast<int>(room.width() * share));
            const Theme theme(option.palette);
            painter->fillRect(QRect(room.right() - width + 1, room.top(), width, room.height()), theme.costBar());
        }
        QStyledItemDelegate::paint(painter, option, index);
    }

    /// Rows are as high as their highest cell: a little air for all of them.
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(0, RowAir);
    }

private:
    static constexpr int RowAir = 5;
};

}  // namespace mitos::views
