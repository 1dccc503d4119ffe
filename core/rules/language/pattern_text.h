// SPDX-License-Identifier: GPL-3.0-or-later
// A pattern typed in by the user: a left side without a rule.
#pragma once

#include "core/rules/rule.h"

namespace mitos::rules {

struct LoadedPattern {
    /// Matches and checks instances like a rule; apply returns an error, because there is no right side.
    std::shared_ptr<const DirectedRule> pattern;
    /// The given registry extended by the `op` declarations of the definitions.
    std::shared_ptr<const ir::OperatorRegistry> registry;
};

/// Loads a pattern such as "Half(x) where x.type == Float", "a * (b + c)", "x with local y, x <= F(y)". `definitions` (may be null) is the
/// text of a rule file whose operators, classes and named patterns the pattern may use; its rules are ignored. Returns the errors of the
/// pattern, followed by those of the definitions (Error::others).
[[nodiscard]] Result<LoadedPattern> loadPattern(const SourceText& pattern, const SourceText* definitions,
                                                std::shared_ptr<const ir::OperatorRegistry> registry);

}  // namespace mitos::rules
