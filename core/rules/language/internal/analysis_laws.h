// SPDX-License-Identifier: GPL-3.0-or-later
// The laws of analyses, tried on sample values. Private to core/rules.
#pragma once

#include "core/base/source_text.h"
#include "core/ir/operator_registry.h"
#include "core/rules/language/compiled_analysis.h"

#include <optional>
#include <string>

namespace mitos::rules {

struct BrokenLaw {
    SourceSpan span;  ///< of the equation
    std::string message;
    std::string hint;
};

/// A law that the analysis breaks on values of literals, on its words, or on what its equations make of those:
///  - its join is idempotent, commutative and associative, so that the order in which terms become equal does not matter;
///  - its equations are monotone: with more known of the operands, no less is known of the result.
/// A join without a value (a contradiction) knows more than every value.
[[nodiscard]] std::optional<BrokenLaw> brokenLaw(const CompiledAnalysis& analysis,
                                                 const ir::OperatorRegistry& registry);

}  // namespace mitos::rules
