// SPDX-License-Identifier: GPL-3.0-or-later
// The regions of a program as a table, and the matches that are no regions.
#pragma once

#include "views/common/table_model.h"
#include "views/document/regions.h"

#include <QStringList>
#include <QStyledItemDelegate>
#include <memory>

namespace mitos::views {

/// Leaves space between columns.
class RoomyDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        constexpr int Space = 12;
        return QStyledItemDelegate::sizeHint(option, index) + QSize(Space, 0);
    }
};

class RegionTable : public TableModel {
    Q_OBJECT
public:
    enum Column { Number, Form, Root, Inputs, Outputs, Strategy, Operators, Cost, Share };
    /// The share as a number, for the bar.
    static constexpr int ShareRole = Qt::UserRole;

    explicit RegionTable(QObject* parent = nullptr);
    /// Null: no rows.
    void setRegions(std::shared_ptr<const FoundRegions> found, const QString& unit);
    /// As texts, one for each form.
    void setStrategies(QStringList strategies);

private:
    [[nodiscard]] std::size_t rows() const override { return m_found ? m_found->regions.size() : 0; }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    [[nodiscard]] QString text(const ShownRegion& region, int row, int column) const;

    std::shared_ptr<const FoundRegions> m_found;
    QString m_unit;
    QStringList m_strategies;
};

class RefusedTable : public TableModel {
    Q_OBJECT
public:
    enum Column { Root, Reason, Instead, Operators };

    explicit RefusedTable(QObject* parent = nullptr);
    void setRegions(std::shared_ptr<const FoundRegions> found);

private:
    [[nodiscard]] std::size_t rows() const override { return m_found ? m_found->refused.size() : 0; }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

    std::shared_ptr<const FoundRegions> m_found;
};

}  // namespace mitos::views
