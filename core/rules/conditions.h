// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluating conditions and computed constants.
#pragma once

#include "core/rules/compiled.h"
#include "core/rules/rule.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mitos::rules {

/// What a condition reads.
struct ConditionInput {
    ir::TermBank& bank;
    const CompiledRule& rule;
    std::span<const Binding> values;  ///< by variable
    const NodeTable& table;           ///< the conditions'
    /// Of an unfolding: what the parameters and the locals stand for; null: nothing that is known.
    std::span<const Binding* const> parameters = {};
    std::span<const Binding> locals = {};
};

/// Whether the condition holds. A condition that asks for something that is not there (the value of a term that is no
/// constant, the operator of nothing) does not hold.
[[nodiscard]] bool holds(const ConditionInput& input, std::uint32_t condition);

/// The part that makes a condition fail: the first conjunct that does not hold. NoNode if the condition holds.
[[nodiscard]] std::uint32_t failingPart(const ConditionInput& input, std::uint32_t condition);

/// A condition about the sign of a term that holds only because the rule allows assumptions.
struct Assumption {
    ir::TermId term;
    std::string_view relation;  ///< "> 0", ">= 0", "!= 0", "< 0", "<= 0"

    friend bool operator==(const Assumption&, const Assumption&) = default;
};

/// What a condition that holds takes for granted; empty where all of it is known.
[[nodiscard]] std::vector<Assumption> assumptions(const ConditionInput& input, std::uint32_t condition);

/// The literal a computed constant stands for, or the tuple of literals of a list; nothing if it has no finite value (or
/// overflows, or divides by zero).
[[nodiscard]] std::optional<ir::TermId> computedConstant(const ConditionInput& input, std::uint32_t condition);

/// The bound variables a value may mention, for the operators that the function variables stand for.
using Context = absl::InlinedVector<VarIndex, 4>;
[[nodiscard]] Context effectiveContext(const ir::TermBank& bank, const CompiledRule& rule,
                                       std::span<const Binding> values, VarIndex var);

}  // namespace mitos::rules
