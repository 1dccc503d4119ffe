// SPDX-License-Identifier: GPL-3.0-or-later
// See undefined_classes.h.
#include "core/egraph/internal/undefined_classes.h"

#include "core/ir/fact_rule.h"

#include <absl/container/inlined_vector.h>

#include <optional>

namespace mitos::egraph {

namespace {

std::optional<double> numberOf(const EGraph& graph, ENodeId eclass) {
    const ENodeId literal = graph.literal(eclass);
    if (!literal.isValid() || graph.headInfo(literal).payload.kind() != ir::PayloadKind::Float) return std::nullopt;
    return graph.headInfo(literal).payload.asFloat();
}

/// Whether the node has a value only if all its children have one.
bool isArithmetic(const EGraph& graph, ENodeId node) {
    const ir::TypeId number = graph.bank().types().floating();
    if (graph.type(node) != number || graph.headInfo(node).op.value < ir::opId(ir::CoreOp::Count).value) return false;
    for (const std::uint32_t child : graph.children(node)) {
        if (graph.type(ENodeId(child)) != number) return false;
    }
    return true;
}

/// How certainly an arithmetic node has no value over the reals, by its operator's transfer rule. Operands are known if their classes
/// contain a literal; with `ignoresOperands` nothing is known about them.
ir::Certainty isUndefined(const EGraph& graph, ENodeId node, ir::AbstractValues& values, bool ignoresOperands) {
    const ir::TermBank& bank = graph.bank();
    absl::InlinedVector<ir::ValueId, 2> operands;
    absl::InlinedVector<ir::TypeId, 2> types;
    absl::InlinedVector<std::uint32_t, 2> sources;
    for (std::uint32_t i = 0; i < graph.children(node).size(); ++i) {
        const std::optional<double> number = ignoresOperands ? std::nullopt : numberOf(graph, graph.child(node, i));
        operands.push_back(number ? values.floating(*number) : values.unknown());
        types.push_back(bank.types().floating());
        sources.push_back(i);
    }
    const auto& head = graph.headInfo(node);
    return ir::factsOf({values, bank.types(), head.op, bank.registry().info(head.op), head.payload, graph.type(node),
                        types, operands, operands, sources})
        .isUndefined;
}

}  // namespace

void UndefinedClasses::note(EGraph& graph, ENodeId node) {
    if (m_isUndefined[node.value]) return;
    const ENodeId eclass = graph.find(node);
    if (graph.hasAtom(eclass)) {
        m_isUndefined[node.value] = true;
        graph.filter(node);
        return;
    }
    graph.forEachMember(eclass, [&](ENodeId member) { m_isUndefined[member.value] = true; });
    m_open.push_back(eclass);
}

void UndefinedClasses::update(EGraph& graph) {
    m_isUndefined.clear();
    const ir::OperatorRegistry& registry = graph.bank().registry();
    ir::AbstractValues values(ir::AbstractValues::Tracks::Numbers);
    const EGraph::Index& index = graph.index();
    std::vector<ENodeId> found;
    for (std::uint32_t op = opId(ir::CoreOp::Count).value; op + 1 < index.opBegin.size(); ++op) {
        if (registry.info(ir::OpId(op)).facts.rule == nullptr) continue;
        bool isTotal = false;  // for all operands
        for (std::uint32_t i = index.opBegin[op]; i < index.opBegin[op + 1] && !isTotal; ++i) {
            const ENodeId node(index.byOp[i]);
            if (!isArithmetic(graph, node)) continue;
            isTotal = isUndefined(graph, node, values, true) == ir::Certainty::Never;
            if (!isTotal && isUndefined(graph, node, values, false) == ir::Certainty::Always) found.push_back(node);
        }
    }
    if (found.empty()) return;
    m_isUndefined.resize(graph.idCount());
    for (const ENodeId node : found) note(graph, node);
    while (!m_open.empty()) {
        const ENodeId eclass = m_open.back();
        m_open.pop_back();
        std::vector<ENodeId> users;
        graph.forEachUse(eclass, [&](ENodeId user, std::uint32_t /*place*/) { users.push_back(user); });
        for (const ENodeId user : users) {
            if (isArithmetic(graph, user)) note(graph, user);
        }
    }
}

}  // namespace mitos::egraph
