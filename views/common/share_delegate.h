// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a share of the cost as a bar behind its number.
#pragma once

#include "views/theme/theme.h"

#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>

namespace mitos::views {

class ShareDelegate final : public QStyledItemDelegate {
public:
    /// `role` provides the share, 0…1; no bar is drawn if it is not positive.
    ShareDelegate(int role, QObject* parent) : QStyledItemDelegate(parent), m_role(role) {}

    void setBars(bool shown) { m_bars = shown; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const double share = std::min(1.0, index.data(m_role).toDouble());
        if (m_bars && share > 0.0 && !option.state.testFlag(QStyle::State_Selected)) {
            const QRect room = option.rect.adjusted(2, 2, -2, -2);
            const int width = std::max(1, static_cast<int>(room.width() * share));
            const Theme theme(option.palette);
            painter->fillRect(QRect(room.right() - width + 1, room.top(), width, room.height()), theme.costBar());
        }
        QStyledItemDelegate::paint(painter, option, index);
    }

    /// Adds a little space to the height of every row.
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(0, RowAir);
    }

private:
    static constexpr int RowAir = 5;
    int m_role;
    bool m_bars = true;
};

}  // namespace mitos::views
