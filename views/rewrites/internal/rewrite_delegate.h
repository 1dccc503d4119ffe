// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a rewrite in two lines: the rule, how exact it is and what it changes; and where it applies.
#pragma once

#include <QStyledItemDelegate>

namespace mitos::views {

class RewritesFilter;
class RewritesModel;

class RewriteDelegate final : public QStyledItemDelegate {
public:
    RewriteDelegate(const RewritesFilter& filter, const RewritesModel& model, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// The height of a row in this font.
    [[nodiscard]] static int rowHeight(const QFont& font);

private:
    const RewritesFilter& m_filter;
    const RewritesModel& m_model;
};

}  // namespace mitos::views
