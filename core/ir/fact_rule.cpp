// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/fact_rule.h"

#include <optional>

namespace mitos::ir {

OperationFacts factsOf(const FactInput& input) {
    if (input.op.facts.rule != nullptr) return input.op.facts.rule(input);
    return {input.anything(), Certainty::Maybe, Certainty::Maybe};
}

ValueId scalarOf(const FactInput& input, const ValueRange& exact) {
    const std::optional<WholeLimits> limits = AbstractValues::wholeLimits(input.types, input.type);
    return input.values.scalar(limits ? wrapped(exact, *limits) : exact);
}

ValueId argumentOf(const FactInput& input, std::size_t child) {
    if (input.op.facts.argument != nullptr) return input.op.facts.argument(input, child);
    return input.values.anyOfType(input.types, input.types.children(input.operandTypes[child])[0]);
}

}  // namespace mitos::ir
