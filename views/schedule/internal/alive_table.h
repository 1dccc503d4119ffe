// SPDX-License-Identifier: GPL-3.0-or-later
// The tensors in the memory of a device at a moment, as the rows of a table.
#pragma once

#include "views/common/table_model.h"
#include "views/schedule/shown_schedule.h"

#include <optional>

namespace mitos::views {

class AliveTable final : public TableModel {
    Q_OBJECT
public:
    enum Column { Name, Bytes, From, To, ColumnCount };

    explicit AliveTable(QObject* parent);
    /// Those with most bytes first. Null: none.
    void setCopies(ShownSchedulePtr shown, schedule::AliveCopies alive);
    [[nodiscard]] const schedule::AliveCopies& alive() const { return m_alive; }
    /// The operation that made the tensor of a row.
    [[nodiscard]] std::optional<std::uint32_t> producerOf(int row) const;

private:
    [[nodiscard]] std::size_t rows() const override { return m_shown ? m_alive.copies.size() : 0; }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

    ShownSchedulePtr m_shown;
    schedule::AliveCopies m_alive;
};

}  // namespace mitos::views
