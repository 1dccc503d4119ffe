// SPDX-License-Identifier: GPL-3.0-or-later
// Reasons of the e-graph as instances of rules. Private to core/egraph.
#pragma once

#include "core/egraph/internal/rule_worker.h"
#include "core/rules/directed_rule.h"

#include <memory>
#include <vector>

namespace mitos::egraph {

/// The substitution of the part of a rule that a reason names, over terms of members.
[[nodiscard]] Result<rules::Substitution> substitutionOf(EGraph& graph, const RuleReason& reason);

/// An instance of a rule, and which of its variables may also stand for other terms of the same classes.
struct RuleInstance {
    std::shared_ptr<const rules::CompiledDirection> rule;
    rules::Substitution substitution;
    ir::TermId left;
    ir::TermId right;
    /// The two sides again, with a fresh variable in place of each value that may be another term.
    ir::TermId leftPattern;
    ir::TermId rightPattern;
    struct Open {
        std::size_t variable = 0;
        std::size_t element = NoElement;  ///< position in a sequence; NoElement if the variable is not a sequence
        ir::TermId name;                  ///< the fresh variable in the patterns
        ir::TermId value;                 ///< its value in the instance
    };
    static constexpr std::size_t NoElement = static_cast<std::size_t>(-1);
    std::vector<Open> open;

    [[nodiscard]] ir::TermId& valueIn(rules::Substitution& substitution, const Open& place) const {
        rules::Binding& binding = substitution.values[place.variable];
        return place.element == NoElement ? binding.term : binding.sequence[place.element];
    }
};

/// The instance that a rule application stored as its reason. As many values are open as the rule allows: all of them
/// if its conditions depend only on types; otherwise those that are not weights, or none. `isExact`: no value is open,
/// whatever the rule.
[[nodiscard]] Result<RuleInstance> instanceOf(EGraph& graph, Reason reason, bool isExact);

}  // namespace mitos::egraph
