// SPDX-License-Identifier: GPL-3.0-or-later
// The summary of a place's cost, worded the same in every view.
#pragma once

#include "core/cost/cost_model.h"

#include <QString>

namespace mitos::views {

/// "8 units"; for a place in a loop "5 units once × 16 times = 80 units"; followed by its share of the whole, which is
/// the first part of the explanation: "…, 42.9 % of 14". A node of a graph has its own cost and its own share; other
/// nodes may need its operands too, so their cost is given separately: "own cost 12.5 µs, 2.3 % of 543.2; with all it
/// needs 300 µs, 55.2 %".
[[nodiscard]] QString costSummary(const cost::CostPart& part, double whole, const cost::CostModelInfo& model,
                                  ir::Sharing sharing);

}  // namespace mitos::views
