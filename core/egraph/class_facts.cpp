// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/egraph/class_facts.h"

#include "core/ir/fact_rule.h"

#include <absl/container/inlined_vector.h>

namespace mitos::egraph {

using ir::CoreOp;
using ir::TypeId;
using ir::ValueId;

Fact ClassFacts::make(EGraph& graph, ENodeId node, std::span<const Fact> children) {
    const ir::TermBank& bank = graph.bank();
    const auto& head = graph.headInfo(node);
    absl::InlinedVector<ValueId, 4> operands;
    absl::InlinedVector<ValueId, 4> results;
    absl::InlinedVector<TypeId, 4> types;
    absl::InlinedVector<std::uint32_t, 4> sources;
    for (std::uint32_t i = 0; i < children.size(); ++i) {
        const ENodeId child = graph.find(graph.child(node, i));
        const TypeId type = graph.type(child);
        const bool isFunction = bank.types().kind(type) == ir::TypeKind::Lambda;
        const TypeId value = isFunction ? bank.types().children(type)[1] : type;
        const bool isKnown = children[i] != NoFact && !isFunction;
        results.push_back(isKnown ? ValueId(children[i]) : m_values.anyOfType(bank.types(), value));
        operands.push_back(isFunction ? m_values.unknown() : results.back());
        types.push_back(type);
        sources.push_back(child.value);
    }
    if (head.op == opId(CoreOp::Literal)) return m_values.literal(head.payload).value;
    if (head.op == opId(CoreOp::Tuple)) return m_values.tuple(operands).value;
    if (head.op.value < opId(CoreOp::Count).value) return NoFact;
    const ir::FactInput input{m_values,     bank.types(),     head.op, bank.registry().info(head.op),
                              head.payload, graph.type(node), types,   operands,
                              results,      sources};
    return ir::factsOf(input).value.value;
}

std::shared_ptr<ClassAnalysis> ClassFacts::copy(ir::TermBank& /*bank*/) const {
    return std::make_shared<ClassFacts>(*this);
}

}  // namespace mitos::egraph
