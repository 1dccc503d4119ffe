// SPDX-License-Identifier: GPL-3.0-or-later
// Bound variables around a place of a pattern, and terms moved from one such surroundings to another.
#pragma once

#include "core/rules/compiled.h"
#include "core/rules/rule.h"

#include <absl/container/inlined_vector.h>

#include <compare>
#include <span>

namespace mitos::rules {

/// A bound variable during a match. Named patterns bind theirs anew in every unfolding.
struct BinderKey {
    std::uint32_t frame = 0;  ///< number of the unfolding; 0: the rule itself
    VarIndex var = NoVar;     ///< NoVar: what the operator of a function variable binds inside a named pattern

    friend bool operator==(const BinderKey&, const BinderKey&) = default;
};

/// Outermost first. The key NoVar stands in no context: nothing may mention it.
using Surroundings = absl::InlinedVector<BinderKey, 6>;

/// A term that stands below the binders `from`, as seen from below the binders `to`. Invalid if it mentions a binder that is
/// not among `to`. What is bound outside of all of them stays what it is.
[[nodiscard]] ir::TermId moved(ir::TermBank& bank, ir::TermId term, std::span<const BinderKey> from,
                               std::span<const BinderKey> to);

/// The surroundings of the values of a variable of the rule: its context, for the operators that the function variables in
/// it stand for.
[[nodiscard]] Surroundings contextOf(const ir::TermBank& bank, const CompiledRule& rule,
                                     std::span<const Binding> values, VarIndex var);
/// The same for a local variable of an unfolding, and for a tracked parameter (`local` null) of it.
[[nodiscard]] Surroundings contextOf(std::span<const BinderKey> aroundUse, std::uint32_t frame,
                                     const LocalVariable* local);

/// Whether a term is one of the operator of an Apply node: of that operator, or, for a declared operator without
/// attributes, a call of the program's function of that name.
[[nodiscard]] bool hasOperator(const ir::TermBank& bank, ir::TermId term, const Node& node);
/// Whether a function variable can stand for the term's operator: anything but literals, variables, lambdas, weights and
/// operators that nobody knows.
[[nodiscard]] bool isApplication(const ir::TermBank& bank, ir::TermId term);
/// Whether a literal, or a constant array, is the number of a Number or Approx node.
[[nodiscard]] bool isNumber(const ir::TermBank& bank, ir::TermId term, const Node& node);

}  // namespace mitos::rules
