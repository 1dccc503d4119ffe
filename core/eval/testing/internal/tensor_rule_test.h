// SPDX-License-Identifier: GPL-3.0-or-later
// Tests rules over arrays: both sides of random instances on small shapes are evaluated.
#pragma once

#include "core/eval/testing/rule_test.h"
#include "core/rules/directed_rule.h"

#include <chrono>
#include <optional>

namespace mitos::eval {

/// Whether a side of the rule contains an operator over arrays; testTensorRule() then tests it.
[[nodiscard]] bool isOverArrays(const rules::CompiledRule& rule);

/// Tests one direction; for a rule with several roots, the tuple of all roots. Inputs are random numbers, among them 0 and 1, and for
/// exact rules also infinities and NaN. Exact rules may not deviate at all, others by the tolerance of the options, those with the tag
/// `approximate` by 2 %. Each instance is tried again with names in place of some sizes: conditions then cannot use those sizes, and the
/// rule must hold for every value of the names. A counterexample is shrunk (shapes, attributes, operators and numbers) until nothing
/// smaller fails; it is printed with the types of its inputs. The note is the reason if no
/// instance can be made; the caller sets the verdict, the name, the tag and the time.
[[nodiscard]] RuleVerdict testTensorRule(const rules::CompiledDirection& direction,
                                         const std::shared_ptr<const ir::OperatorRegistry>& registry,
                                         const RuleTestOptions& options,
                                         std::optional<std::chrono::steady_clock::time_point> deadline);

}  // namespace mitos::eval
