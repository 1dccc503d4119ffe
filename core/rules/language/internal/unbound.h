// SPDX-License-Identifier: GPL-3.0-or-later
// Finds variables that a match may leave unbound: an alternate need not mention all parameters of its pattern (PyPM, Figure 4).
#pragma once

#include "core/rules/language/compiled.h"

#include <string>
#include <vector>

namespace mitos::rules {

/// Sets NamedPattern::isBound to the greatest solution, which is right because a match is finite.
void findBoundParameters(PatternTable& patterns);

/// A use of a variable that may be unbound there.
struct UnboundUse {
    SourceSpan span;
    std::string message;
};
/// Such uses in the condition and the results of a rule, one for each variable.
[[nodiscard]] std::vector<UnboundUse> unboundUses(const CompiledRule& rule);

/// The first variable that the condition or the results use, or that is a local, and that the left side does not always bind; empty if
/// there is none. Used for the rule of one of several roots, whose variables may be bound by another root.
[[nodiscard]] std::string firstOpenVariable(const CompiledRule& rule);

}  // namespace mitos::rules
