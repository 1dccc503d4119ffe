// SPDX-License-Identifier: GPL-3.0-or-later
// The e-nodes of one class, with their cost and the rule that created them.
#pragma once

#include "views/egraph/egraph_index.h"
#include "views/egraph/egraph_picture.h"

#include <QAbstractTableModel>
#include <memory>

namespace mitos::views {

class MemberTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { NodeColumn, CostColumn, RuleColumn, IterationColumn, ColumnCount };

    explicit MemberTableModel(QObject* parent = nullptr);

    /// Null clears the table.
    void setClass(std::shared_ptr<const EGraphIndex> index, ClassIndex which, EGraphMarks marks);
    [[nodiscard]] ENodeIndex nodeAt(int row) const { return m_members[static_cast<std::size_t>(row)]; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const EGraphIndex> m_index;
    std::vector<ENodeIndex> m_members;
    EGraphMarks m_marks;
};

}  // namespace mitos::views
