// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluates conditions and computed constants.
#pragma once

#include "core/rules/language/compiled.h"
#include "core/rules/rule.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mitos::rules {

struct Value;

/// The data that a condition is evaluated on.
struct ConditionInput {
    ir::TermBank& bank;
    const CompiledRule& rule;
    std::span<const Binding> values;  ///< by variable
    const NodeTable& table;           ///< the table that contains the condition
    /// In an unfolding: the values of its parameters and locals; null if the value of a parameter is not known.
    std::span<const Binding* const> parameters = {};
    std::span<const Binding> locals = {};
    /// In an equation of an analysis: by variable, what is known of the operand, which its name stands for.
    const std::vector<Value>* operands = nullptr;
};

/// Whether the condition holds. A condition that refers to something that does not exist (the value of a term that is not a
/// constant, the operator of an unbound variable) does not hold.
[[nodiscard]] bool holds(const ConditionInput& input, std::uint32_t condition);

/// The part of a condition that makes it fail: the first conjunct that does not hold. NoNode if the condition holds.
[[nodiscard]] std::uint32_t failingPart(const ConditionInput& input, std::uint32_t condition);

/// A condition about the sign of a term that holds only because the rule allows assumptions.
struct Assumption {
    ir::TermId term;
    std::string_view relation;  ///< "> 0", ">= 0", "!= 0", "< 0", "<= 0"

    friend bool operator==(const Assumption&, const Assumption&) = default;
};

/// The assumptions on which a condition holds; empty if it can be shown without any.
[[nodiscard]] std::vector<Assumption> assumptions(const ConditionInput& input, std::uint32_t condition);

/// The literal that a computed constant denotes, or the tuple of literals of a list; nothing if it has no finite value (or
/// overflows, or divides by zero).
[[nodiscard]] std::optional<ir::TermId> computedConstant(const ConditionInput& input, std::uint32_t condition);

/// The bound variables that the value of a variable may mention, given the operators that the function variables are bound to.
using Context = absl::InlinedVector<VarIndex, 4>;
[[nodiscard]] Context effectiveContext(const ir::TermBank& bank, const CompiledRule& rule,
                                       std::span<const Binding> values, VarIndex var);

/// The name of a term's operator; a call of a function that represents a declared operator has that operator's name, and bound variables
/// are variables.
[[nodiscard]] std::string_view operatorName(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::rules
