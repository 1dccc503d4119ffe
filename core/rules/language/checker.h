// SPDX-License-Identifier: GPL-3.0-or-later
// Checks rules and named patterns, and compiles those without errors.
#pragma once

#include "core/rules/language/compiled.h"
#include "core/rules/language/expression_compiler.h"
#include "core/rules/language/names.h"
#include "core/rules/language/syntax.h"

#include <memory>
#include <optional>
#include <vector>

namespace mitos::rules {

/// Compiles all alternates of all named patterns. Patterns with errors are marked as not usable.
[[nodiscard]] std::shared_ptr<const PatternTable> compilePatterns(const std::vector<const syntax::Pattern*>& patterns,
                                                                  const std::shared_ptr<const SourceText>& source,
                                                                  const Names& names, std::vector<Error>& errors,
                                                                  std::vector<std::string>& warnings);

/// One direction of a rule. If the rule has several roots, `whole` has the tuple of the left roots on its left side and the tuple of
/// the right roots on its right side, and `parts` has one rule per root, from left root to right root, over the variables of the whole.
struct CheckedDirection {
    CompiledRule whole;
    std::vector<CompiledRule> parts;  ///< empty if there is one root
};

/// The directions of a rule, forward first.
struct CheckedRule {
    std::vector<CheckedDirection> directions;
};

/// Compiles a left side without a right side, like that of a rule. Returns nothing if there are errors (they are added to `errors`).
[[nodiscard]] std::optional<CompiledRule> checkPattern(const syntax::Rule& pattern,
                                                       const std::shared_ptr<const SourceText>& source,
                                                       const Names& names,
                                                       const std::shared_ptr<const PatternTable>& patterns,
                                                       std::vector<Error>& errors);

/// Compiles a rule. Returns nothing if there are errors (they are added to `errors`).
[[nodiscard]] std::optional<CheckedRule> checkRule(const syntax::Rule& rule, const SourceText& source,
                                                   const Names& names,
                                                   const std::shared_ptr<const PatternTable>& patterns,
                                                   std::vector<Error>& errors);

}  // namespace mitos::rules
