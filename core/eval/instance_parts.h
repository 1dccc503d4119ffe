// SPDX-License-Identifier: GPL-3.0-or-later
// What the variables of a rule stand for in an instance, as a program. Private to core/eval.
#pragma once

#include "core/ir/path.h"
#include "core/rules/conditions.h"
#include "core/rules/directed_rule.h"

namespace mitos::eval {

/// A program whose value holds the value of every term that a variable of the rule stands for, at the position in the
/// program, for each round of the loops around it. Bound variables that get their values elsewhere (of fold, of the rule's
/// own binders) have some plain value.
[[nodiscard]] ir::TermId partsOf(ir::TermBank& bank, const rules::CompiledRule& rule,
                                 const rules::Substitution& substitution, ir::TermId program, const ir::Path& position);

}  // namespace mitos::eval
