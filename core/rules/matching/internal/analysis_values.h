// SPDX-License-Identifier: GPL-3.0-or-later
// The values that analyses compute. Private to core/rules.
#pragma once

#include "core/rules/language/compiled_analysis.h"
#include "core/rules/matching/conditions.h"
#include "core/rules/matching/internal/condition_value.h"

#include <span>
#include <string>
#include <vector>

namespace mitos::rules {

/// The value of a part of a condition.
[[nodiscard]] Value valueOf(const ConditionInput& input, std::uint32_t condition);
/// The value of a literal of a program, or of a constant array; Undefined for other terms.
[[nodiscard]] Value valueOfLiteral(ir::TermBank& bank, ir::TermId term);

/// The value that an equation gives to such operands; Undefined if its condition does not hold. `types` are those of the operands, if the
/// equation has an operator.
[[nodiscard]] Value valueOf(ir::TermBank& bank, const AnalysisEquation& equation, std::vector<Value> operands,
                            std::span<const ir::TypeId> types = {}, std::span<const ir::TermId> attributes = {});

/// An equation, and what it gave.
struct EquationValue {
    Value value;
    const AnalysisEquation* equation = nullptr;
};
/// The value by the first equation of the operator that gives one.
[[nodiscard]] EquationValue operatorValue(ir::TermBank& bank, const CompiledAnalysis& analysis, ir::OpId op,
                                          const std::vector<Value>& operands, std::span<const ir::TypeId> types,
                                          std::span<const ir::TermId> attributes);
[[nodiscard]] EquationValue literalValue(ir::TermBank& bank, const CompiledAnalysis& analysis, const Value& literal);
/// Both values are known.
[[nodiscard]] Value joined(ir::TermBank& bank, const CompiledAnalysis& analysis, const Value& a, const Value& b);
/// Whether two values are one: equal numbers (0 is −0), words, truth values, lists; undefined ones too.
[[nodiscard]] bool areSame(const Value& a, const Value& b, const ir::TypeTable& types);
/// "2.5", "positive", "[0, 1]", "nothing"
[[nodiscard]] std::string text(const Value& value);
/// Whether a number, or truth value, may have the value.
[[nodiscard]] bool admits(ir::TermBank& bank, const CompiledAnalysis& analysis, const Value& literal,
                          const Value& value);

/// The value of a term; Undefined if nothing is known of it.
[[nodiscard]] Value analysisValue(ir::TermBank& bank, const CompiledAnalysis& analysis, ir::TermId term);

}  // namespace mitos::rules
