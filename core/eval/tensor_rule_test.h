// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of rules over arrays: random instances on small shapes, both sides evaluated.
#pragma once

#include "core/eval/rule_test.h"
#include "core/rules/directed_rule.h"

#include <chrono>
#include <optional>

namespace mitos::eval {

/// Whether a side of the rule has an operator over arrays: then testTensorRule() tests it.
[[nodiscard]] bool isOverArrays(const rules::CompiledRule& rule);

/// Tests one direction; of a rule with several roots, the tuple of all of them. Inputs are random numbers, among them 0 and 1, and of
/// exact rules also infinities and what is not a number. Exact rules may not deviate at all, others by the tolerance of the
/// options, those with the tag `approximate` by 2 %. Each instance is tried once more with names in the place of some sizes: what
/// a rule's conditions cannot know then must not matter, whichever sizes the names turn out to be. A counterexample is made smaller, its
/// shapes, attributes, operators and numbers, until nothing smaller fails; it is written with the types of its inputs.
[[nodiscard]] RuleVerdict testTensorRule(const rules::CompiledDirection& direction,
                                         const std::shared_ptr<const ir::OperatorRegistry>& registry,
                                         const RuleTestOptions& options,
                                         std::optional<std::chrono::steady_clock::time_point> deadline);

}  // namespace mitos::eval
