// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a rewrite, or a group of them, in two lines: the rule, how exact it is and what it changes; and where it applies.
#pragma once

#include <QStyledItemDelegate>

namespace mitos::views {

class RewriteGroups;
class RewritesModel;

class RewriteDelegate final : public QStyledItemDelegate {
public:
    RewriteDelegate(const RewriteGroups& groups, const RewritesModel& model, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// The count and the arrow of a group in its row's rectangle, to click on; empty for a single rewrite.
    [[nodiscard]] QRect countRect(const QRect& row, const QFont& font, const QModelIndex& index) const;
    /// The height of a row in this font.
    [[nodiscard]] static int rowHeight(const QFont& font);

private:
    /// What the first line of a row consists of.
    struct FirstLine;
    [[nodiscard]] FirstLine firstLine(const QRect& row, const QFont& font, const QModelIndex& index) const;

    const RewriteGroups& m_groups;
    const RewritesModel& m_model;
};

}  // namespace mitos::views
