// SPDX-License-Identifier: GPL-3.0-or-later
// Terms that the left side of a rule is likely to match. Private to core/eval.
#pragma once

#include "core/base/random.h"
#include "core/eval/testing/random_terms.h"
#include "core/rules/language/compiled.h"

#include <vector>

namespace mitos::eval {

/// A random term for the left side of a rule whose types are not searched (rules::canBeTyped): named patterns are unfolded at
/// random, function variables become random operators, variables become random closed terms. The term is only a guess: guards
/// are not checked, and the matcher decides whether the rule applies. `free` lists the variables that it may mention. Invalid
/// if this attempt gave no well-typed term.
[[nodiscard]] ir::TermId patternTerm(ir::TermBank& bank, const rules::CompiledRule& rule,
                                     const std::vector<ir::Parameter>& free, Random& random, std::uint32_t maxSize);

}  // namespace mitos::eval
