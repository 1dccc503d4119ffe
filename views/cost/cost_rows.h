// SPDX-License-Identifier: GPL-3.0-or-later
// What a subterm's cost is made of, as rows: pure functions of a program and its cost parts.
#pragma once

#include "core/cost/cost_model.h"
#include "core/ir/binding.h"
#include "core/ir/function.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mitos::views {

/// One line of the explanation. "In all": with the number of times it counts in the whole program.
struct CostRow {
    ir::Path path;
    std::string place;  ///< where that is, for people
    std::string label;
    bool operatorOnly = false;  ///< the cost of the operator itself, without its operands
    bool isRest = false;        ///< of a graph: without what rows above it need too, which is paid there
    double once = 0.0;
    double times = 1.0;
    double inAll = 0.0;
    double share = 0.0;           ///< of the program's cost, 0…1
    std::optional<double> other;  ///< in all, under the model beside
    std::optional<double> otherShare;
    std::string reason;
    std::vector<cost::CostShare> shares;  ///< of an operator: what its cost consists of
};

/// Both explanations of one program, in pre-order; `other` is empty if there is no second model.
struct ExplainedCosts {
    std::vector<cost::CostPart> parts;
    std::vector<cost::CostPart> other;
};

/// Place of a path among the parts: in pre-order, of a graph that of the node. The path must lead somewhere.
[[nodiscard]] std::size_t partIndex(const ir::TermBank& bank, const ir::Program& program, const ir::Path& path);

/// The operator at the path, then its operands: their costs in all add up to the subterm's. What several operands of a graph
/// need is paid once: it counts for the first of them.
[[nodiscard]] std::vector<CostRow> operandRows(const ir::TermBank& bank, const ir::Program& program,
                                               const ir::Path& path, const ExplainedCosts& costs);
/// The operators at and below the path that cost most, the dearest first; at most that many.
[[nodiscard]] std::vector<CostRow> dearestRows(const ir::TermBank& bank, const ir::Program& program,
                                               const ir::Path& path, const ExplainedCosts& costs, std::size_t most);

}  // namespace mitos::views
