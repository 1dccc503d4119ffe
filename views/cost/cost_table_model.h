// SPDX-License-Identifier: GPL-3.0-or-later
// The cost explanation as a table.
#pragma once

#include "views/common/table_model.h"
#include "views/cost/cost_rows.h"

#include <QString>

namespace mitos::views {

class CostTableModel : public TableModel {
    Q_OBJECT
public:
    enum Column { Part, Once, Times, InAll, Share, Made, Other, OtherShare, ColumnCount };
    static constexpr int SortRole = Qt::UserRole;
    /// The share of the program's cost as a number, for the bar; in the column Made, the largest component.
    static constexpr int ShareRole = Qt::UserRole + 1;

    explicit CostTableModel(QObject* parent = nullptr);
    /// `other` is the name of the second model; empty if there is none.
    void setRows(std::vector<CostRow> rows, const QString& other);
    /// Whether the model reports the components of operators' costs.
    [[nodiscard]] bool hasMade() const;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] const CostRow& row(int row) const { return m_rows[static_cast<std::size_t>(row)]; }

private:
    [[nodiscard]] std::size_t rows() const override { return m_rows.size(); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    std::vector<CostRow> m_rows;
};

}  // namespace mitos::views
