// SPDX-License-Identifier: GPL-3.0-or-later
// Random terms of which an analysis probably knows something. Private to core/eval.
#pragma once

#include "core/base/random.h"
#include "core/ir/term_bank.h"
#include "core/rules/language/compiled_analysis.h"

#include <cstdint>
#include <vector>

namespace mitos::eval {

/// A term of the type with up to `maxSize` operators, mostly those that the analysis has equations for, over constants and `free` variables.
[[nodiscard]] ir::TermId analysedTerm(ir::TermBank& bank, const rules::CompiledAnalysis& analysis, ir::TypeId type,
                                      const std::vector<ir::Parameter>& free, Random& random, std::uint32_t maxSize);
/// A term with the operator of the equation at its root; invalid if this attempt gave none.
[[nodiscard]] ir::TermId analysedTerm(ir::TermBank& bank, const rules::CompiledAnalysis& analysis,
                                      const rules::AnalysisEquation& equation, const std::vector<ir::Parameter>& free,
                                      Random& random, std::uint32_t maxSize);

}  // namespace mitos::eval
