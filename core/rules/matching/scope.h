// SPDX-License-Identifier: GPL-3.0-or-later
// The bound variables around a place of a pattern, and functions that move terms from one such surroundings to another.
#pragma once

#include "core/rules/language/compiled.h"
#include "core/rules/rule.h"

#include <absl/container/inlined_vector.h>

#include <compare>
#include <span>

namespace mitos::rules {

/// A bound variable during a match. Each unfolding of a named pattern has its own.
struct BinderKey {
    std::uint32_t frame = 0;  ///< number of the unfolding; 0 for the rule itself
    VarIndex var = NoVar;     ///< NoVar if a function variable's operator binds it inside a named pattern

    friend bool operator==(const BinderKey&, const BinderKey&) = default;
};

/// The bound variables around a place, outermost first. No context contains the key NoVar: no value may mention that variable.
using Surroundings = absl::InlinedVector<BinderKey, 6>;

/// Moves a term from below the binders `from` to below the binders `to`. The result is invalid if the term mentions a binder that is
/// not among `to`. References to binders outside of all of them keep their meaning.
[[nodiscard]] ir::TermId moved(ir::TermBank& bank, ir::TermId term, std::span<const BinderKey> from,
                               std::span<const BinderKey> to);

/// The surroundings of the values of a variable of the rule: its context, given the operators that the function variables in
/// it are bound to.
[[nodiscard]] Surroundings contextOf(const ir::TermBank& bank, const CompiledRule& rule,
                                     std::span<const Binding> values, VarIndex var);
/// The same for a local variable of an unfolding, and for a tracked parameter (`local` null) of it.
[[nodiscard]] Surroundings contextOf(std::span<const BinderKey> aroundUse, std::uint32_t frame,
                                     const LocalVariable* local);

/// Whether a term has the operator of an Apply node or, for a declared operator without attributes, is a call of the
/// program's function of that name.
[[nodiscard]] bool hasOperator(const ir::TermBank& bank, ir::TermId term, const Node& node);
/// Whether a function variable can be bound to the term's operator: all terms except literals, variables, lambdas, weights and
/// unknown operators.
[[nodiscard]] bool isApplication(const ir::TermBank& bank, ir::TermId term);
/// Whether a literal, or a constant array, has the value of a Number or Approx node.
[[nodiscard]] bool isNumber(const ir::TermBank& bank, ir::TermId term, const Node& node);

}  // namespace mitos::rules
