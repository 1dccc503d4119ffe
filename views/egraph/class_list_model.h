// SPDX-License-Identifier: GPL-3.0-or-later
// All classes of an e-graph as a list, the counterpart of its picture.
#pragma once

#include "views/common/table_model.h"
#include "views/egraph/egraph_index.h"
#include "views/egraph/egraph_picture.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace mitos::views {

/// The filter and the order of the listed classes.
struct ClassQuery {
    QString text;  ///< words; each must occur in the id, in an operator or in the name of a rule
    QString rule;  ///< only classes with nodes made by it; empty: all
    int column = -1;
    bool ascending = true;
};

/// Thread-safe; returns nothing if it is stopped.
[[nodiscard]] std::vector<ClassIndex> findClasses(const EGraphIndex& index, const ClassQuery& query,
                                                  const std::stop_token& stop);

/// Filtering and sorting tens of thousands of classes takes longer than a frame, so the model receives its rows and
/// requests others by sortRequested() when its header is clicked.
class ClassListModel : public TableModel {
    Q_OBJECT
public:
    enum Column { IdColumn, ContentColumn, NodesColumn, UsesColumn, CostColumn, IterationColumn, ColumnCount };

    explicit ClassListModel(QObject* parent = nullptr);

    void setRows(std::shared_ptr<const EGraphIndex> index, std::vector<ClassIndex> classes);
    [[nodiscard]] ClassIndex classAt(int row) const { return m_classes[static_cast<std::size_t>(row)]; }
    /// Row of a class; -1 if the class is not listed.
    [[nodiscard]] int rowOf(ClassIndex which) const;

    void sort(int column, Qt::SortOrder order) override;

Q_SIGNALS:
    void sortRequested(int column, bool ascending);

private:
    [[nodiscard]] std::size_t rows() const override { return m_classes.size(); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    std::shared_ptr<const EGraphIndex> m_index;
    std::vector<ClassIndex> m_classes;
    std::vector<int> m_rows;  // by class
};

class MemberTableModel : public TableModel {
    Q_OBJECT
public:
    enum Column { NodeColumn, CostColumn, RuleColumn, IterationColumn, ColumnCount };

    explicit MemberTableModel(QObject* parent = nullptr);

    /// Null clears the table.
    void setClass(std::shared_ptr<const EGraphIndex> index, ClassIndex which, EGraphMarks marks);
    [[nodiscard]] ENodeIndex nodeAt(int row) const { return m_members[static_cast<std::size_t>(row)]; }

private:
    [[nodiscard]] std::size_t rows() const override { return m_members.size(); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    std::shared_ptr<const EGraphIndex> m_index;
    std::vector<ENodeIndex> m_members;
    EGraphMarks m_marks;
};

}  // namespace mitos::views
