// SPDX-License-Identifier: GPL-3.0-or-later
// Searches terms whose value contradicts what an analysis of a rule file says of them.
#pragma once

#include "core/eval/testing/rule_test.h"
#include "core/rules/language/compiled_analysis.h"

#include <memory>
#include <vector>

namespace mitos::eval {

/// One verdict for the literals of the analysis ("NAME.literal") and one for each operator with equations ("NAME.mul"): random terms with
/// that operator at the root, over constants, variables and terms like them, are evaluated on random inputs, and what is known of a term
/// must admit its value. The note of a failed verdict begins with the place of the equation. Terms that fail are passed over; so are
/// values that are not finite, unless the analysis is exact.
[[nodiscard]] std::vector<RuleVerdict> testAnalysis(const std::shared_ptr<const rules::CompiledAnalysis>& analysis,
                                                    const std::shared_ptr<const ir::OperatorRegistry>& registry,
                                                    const RuleTestOptions& options);

}  // namespace mitos::eval
