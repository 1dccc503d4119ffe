// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a subterm broken down into rows, by pure functions of a program and its cost parts; and their table.
#pragma once

#include "core/cost/cost_model.h"
#include "core/ir/function.h"
#include "views/common/table_model.h"

#include <optional>
#include <string>

namespace mitos::views {

/// One line of the explanation. Costs "in all" are multiplied by the number of times the part counts in the whole program.
struct CostRow {
    ir::Path path;
    std::string place;  ///< a readable name of the path's place
    std::string label;
    bool operatorOnly = false;  ///< the cost of the operator itself, without its operands
    bool isRest = false;        ///< in a graph: excludes nodes that an earlier row needs too and already pays for
    double once = 0.0;
    double times = 1.0;
    double inAll = 0.0;
    double share = 0.0;           ///< of the program's cost, 0…1
    std::optional<double> other;  ///< in all, under the second model
    std::optional<double> otherShare;
    std::string reason;
    std::vector<cost::CostShare> shares;  ///< of an operator row: the components of its cost
};

/// Both explanations of one program, in pre-order; `other` is empty if there is no second model.
struct ExplainedCosts {
    std::vector<cost::CostPart> parts;
    std::vector<cost::CostPart> other;
};

/// Index of the part at a path: in pre-order; in a graph, the index of the node at the path. The path must be valid.
[[nodiscard]] std::size_t partIndex(const ir::TermBank& bank, const ir::Program& program, const ir::Path& path);

/// The operator at the path, then its operands; their costs in all add up to the subterm's. In a graph, a node that
/// several operands need is paid once and counts for the first of them.
[[nodiscard]] std::vector<CostRow> operandRows(const ir::TermBank& bank, const ir::Program& program,
                                               const ir::Path& path, const ExplainedCosts& costs);
/// The most expensive operators at and below the path, in descending order of cost; at most `most` rows.
[[nodiscard]] std::vector<CostRow> mostExpensiveRows(const ir::TermBank& bank, const ir::Program& program,
                                                     const ir::Path& path, const ExplainedCosts& costs,
                                                     std::size_t most);

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
