// SPDX-License-Identifier: GPL-3.0-or-later
// Variables that a match may leave unbound: an alternate need not mention all parameters of its pattern (PyPM, Figure 4).
#pragma once

#include "core/rules/compiled.h"

#include <string>
#include <vector>

namespace mitos::rules {

/// Sets NamedPattern::isBound: the greatest solution, since a match is finite.
void findBoundParameters(PatternTable& patterns);

/// Uses of variables that may be unbound where they are asked for.
struct UnboundUse {
    SourceSpan span;
    std::string message;
};
/// In the condition and the results of a rule: one use of each variable.
[[nodiscard]] std::vector<UnboundUse> unboundUses(const CompiledRule& rule);

/// The first variable that the condition or the results need and that nothing on the left side is sure to bind, a local
/// that nothing there binds among them; empty: none. For a rule of one of several roots, whose variables may be another's.
[[nodiscard]] std::string firstOpenVariable(const CompiledRule& rule);

}  // namespace mitos::rules
