// SPDX-License-Identifier: GPL-3.0-or-later
// A pattern typed in by the user: a left side without a rule.
#pragma once

#include "core/rules/rule.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// A named pattern of a rule file.
struct PatternSignature {
    std::string name;
    std::vector<std::string> parameters;
    std::string doc;  ///< the comment above its first alternate
};

/// The named patterns of the definitions that have no error, in the order of their first alternates. Fails if the text cannot be read as a rule
/// file; errors of single items do not matter.
[[nodiscard]] Result<std::vector<PatternSignature>> namedPatterns(const SourceText& definitions,
                                                                  std::shared_ptr<const ir::OperatorRegistry> registry);

/// The names of the files with named patterns that come with the program and have no rules: they are no rule sets.
[[nodiscard]] std::vector<std::string> shippedPatternSets();
/// The text of such a file; nothing if there is none of that name.
[[nodiscard]] std::optional<SourceText> shippedPatternText(std::string_view name);
/// The text of a set of rules or patterns that comes with the program, or of a file (ruleSetText).
[[nodiscard]] Result<SourceText> patternSetText(const std::string& nameOrFile);

/// A pattern found by findPattern().
struct FoundPattern : LoadedPattern {
    std::string text;  ///< as it was loaded: "MatMulEpilog(a, b)"
    std::string name;  ///< for people: "MatMulEpilog", or the text if it has no name
    std::string set;   ///< the set or file whose definitions it uses; empty if it uses none
};

/// The pattern of a text: the name of a named pattern, with variables for its parameters, or a left side (loadPattern). The definitions are those of
/// one of the sets or files, separated by commas: the first one that has a pattern of that name, which the text may also begin with, else the last one. The
/// files that come with the program follow those that are named. Fails if there is no such pattern, with the names that there are and the closest of them, and as
/// loadPattern does.
[[nodiscard]] Result<FoundPattern> findPattern(std::string_view text, std::string_view sets,
                                               std::shared_ptr<const ir::OperatorRegistry> registry);

}  // namespace mitos::rules
