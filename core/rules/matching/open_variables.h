// SPDX-License-Identifier: GPL-3.0-or-later
// The dependence of conditions and right-hand sides: on the terms that variables stand for, or only on the types of these terms.
#pragma once

#include "core/rules/language/compiled.h"
#include "core/rules/rule.h"

#include <cstdint>
#include <vector>

namespace mitos::rules {

/// Whether the condition, without its parts, asks for more of its variable than the type.
[[nodiscard]] bool asksForTerm(const ConditionNode& condition);

/// By variable with a value: whether a condition of the rule, or a number that it computes, asks for more than the type of that value.
/// Conditions of named patterns are not regarded.
[[nodiscard]] std::vector<bool> variablesAskedFor(const CompiledRule& rule);

/// By variable with a value: whether any array of the same type may take the place of an array that is its value: the conditions then give
/// the same answer, and the right-hand side is the same apart from that array. Rules with binders, match constraints, locals, or named
/// patterns with conditions have no such variables.
[[nodiscard]] std::vector<bool> openVariables(const CompiledRule& rule);

/// Appends the values to `words` as appendWords() does, of arrays that are values of open variables only the types.
void appendOpenWords(const ir::TermBank& bank, const Substitution& substitution, const std::vector<bool>& open,
                     std::vector<std::uint32_t>& words);

/// Whether the matches of some rule's left side may have to be made exact: the rule has match constraints, or named patterns with
/// constraints, conditions or locals.
[[nodiscard]] bool isInexact(const CompiledRule& rule);

}  // namespace mitos::rules
