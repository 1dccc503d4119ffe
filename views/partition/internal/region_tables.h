// SPDX-License-Identifier: GPL-3.0-or-later
// The regions of a program as a table, and the matches that are no regions.
#pragma once

#include "views/common/table_model.h"
#include "views/document/regions.h"

#include <memory>

namespace mitos::views {

class RegionTable : public TableModel {
    Q_OBJECT
public:
    enum Column { Number, Root, Operators, Inputs, Outputs, Cost, Share };
    /// The share as a number, for the bar.
    static constexpr int ShareRole = Qt::UserRole;

    explicit RegionTable(QObject* parent = nullptr);
    /// Null: no rows.
    void setRegions(std::shared_ptr<const FoundRegions> found, const QString& unit);

private:
    [[nodiscard]] std::size_t rows() const override { return m_found ? m_found->regions.size() : 0; }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    [[nodiscard]] QString text(const ShownRegion& region, int row, int column) const;

    std::shared_ptr<const FoundRegions> m_found;
    QString m_unit;
};

class RefusedTable : public TableModel {
    Q_OBJECT
public:
    enum Column { Root, Operators, Reason };

    explicit RefusedTable(QObject* parent = nullptr);
    void setRegions(std::shared_ptr<const FoundRegions> found);

private:
    [[nodiscard]] std::size_t rows() const override { return m_found ? m_found->refused.size() : 0; }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

    std::shared_ptr<const FoundRegions> m_found;
};

}  // namespace mitos::views
