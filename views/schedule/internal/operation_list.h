// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of a schedule in the order in which they start, as the rows of a table: what the chart shows, for readers who do not see it.
#pragma once

#include "views/common/table_model.h"
#include "views/schedule/shown_schedule.h"

#include <vector>

namespace mitos::views {

class OperationList final : public TableModel {
    Q_OBJECT
public:
    enum Column { Name, Device, Start, Duration, Bytes, Critical, ColumnCount };

    explicit OperationList(QObject* parent);
    void setSchedule(ShownSchedulePtr shown);  ///< null: none
    [[nodiscard]] std::uint32_t operationAt(int row) const { return m_order[static_cast<std::size_t>(row)]; }
    [[nodiscard]] int rowOf(std::uint32_t operation) const { return m_rows[operation]; }

private:
    [[nodiscard]] std::size_t rows() const override { return m_order.size(); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

    ShownSchedulePtr m_shown;
    std::vector<std::uint32_t> m_order;
    std::vector<int> m_rows;  ///< by operation
};

}  // namespace mitos::views
