// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the rows of the table of runs: the line of a strategy with its badges, and its curve.
#pragma once

#include <QStyledItemDelegate>

namespace mitos::views {

class CompareFilter;
class CompareModel;

class RunDelegate final : public QStyledItemDelegate {
public:
    RunDelegate(const CompareModel& model, const CompareFilter& filter, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    void paintStrategy(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& row) const;

    const CompareModel& m_model;
    const CompareFilter& m_filter;
};

}  // namespace mitos::views
