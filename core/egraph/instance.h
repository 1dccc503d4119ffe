// SPDX-License-Identifier: GPL-3.0-or-later
// What a reason of the e-graph says, as an instance of a rule. Private to core/egraph.
#pragma once

#include "core/egraph/egraph.h"
#include "core/rules/directed_rule.h"

#include <memory>
#include <vector>

namespace mitos::egraph {

/// An instance of a rule, and which of its variables may stand for other terms of the same classes as well.
struct RuleInstance {
    std::shared_ptr<const rules::CompiledDirection> rule;
    rules::Substitution substitution;
    ir::TermId left;
    ir::TermId right;
    /// The sides once more, with a variable of its own in the place of each value that is free to be another term.
    ir::TermId leftPattern;
    ir::TermId rightPattern;
    struct Open {
        std::size_t variable = 0;
        std::size_t element = NoElement;  ///< of a sequence
        ir::TermId name;                  ///< what stands for it in the patterns
        ir::TermId value;                 ///< what it is in the instance
    };
    static constexpr std::size_t NoElement = static_cast<std::size_t>(-1);
    std::vector<Open> open;

    [[nodiscard]] ir::TermId& valueIn(rules::Substitution& substitution, const Open& place) const {
        rules::Binding& binding = substitution.values[place.variable];
        return place.element == NoElement ? binding.term : binding.sequence[place.element];
    }
};

/// The instance that a rule application left as its reason. Of the values as many are open as the rule allows: all, if its
/// conditions ask for types only; else what is no weight, or none. `isExact`: none whatever the rule.
[[nodiscard]] Result<RuleInstance> instanceOf(EGraph& graph, Reason reason, bool isExact);

}  // namespace mitos::egraph
