// SPDX-License-Identifier: GPL-3.0-or-later
// The rows that views show for an explained cost.
#pragma once

#include "core/cost/cost_model.h"
#include "core/ir/dialect.h"

#include <QString>
#include <vector>

namespace mitos::views {

/// The cost of one of the parts: "8 units"; for a place in a loop "5 units once × 16 times = 80 units"; followed by its share of the whole, which is
/// the first part of the explanation: "…, 42.9 % of 14". A node of a graph has its own cost and its own share; other
/// nodes may need its operands too, so their cost is given separately: "own cost 12.5 µs, 2.3 % of 543.2; with all it
/// needs 300 µs, 55.2 %".
[[nodiscard]] QString costSummary(const std::vector<cost::CostPart>& parts, std::size_t index,
                                  const cost::CostModelInfo& model, const ir::Dialect& dialect);

/// The parts of a program's cost. If the model cannot cost it, no part costs anything and the reasons say why.
[[nodiscard]] std::vector<cost::CostPart> explainedParts(cost::CostEvaluator& costs, const ir::TermBank& bank,
                                                         const ir::Program& program);

}  // namespace mitos::views
