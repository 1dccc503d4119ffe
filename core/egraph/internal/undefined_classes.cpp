// SPDX-License-Identifier: GPL-3.0-or-later
// See undefined_classes.h.
#include "core/egraph/internal/undefined_classes.h"

#include <optional>
#include <string_view>

namespace mitos::egraph {

namespace {

/// Operators on one or two real numbers that are undefined for some arguments.
struct PartialOperator {
    std::string_view name;
    std::uint32_t place;  ///< index of the restricted argument
    bool (*isDefined)(double);
};
constexpr PartialOperator PartialOperators[]{
    {"div", 1, [](double divisor) { return divisor != 0.0; }},
    {"log", 0, [](double argument) { return !(argument <= 0.0); }},
    {"sqrt", 0, [](double argument) { return !(argument < 0.0); }},
};

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
    std::vector<ENodeId> found;
    for (const PartialOperator& each : PartialOperators) {
        const ir::OpId op = registry.find(each.name);
        const EGraph::Index& index = graph.index();
        if (!op.isValid() || op.value + 1 >= index.opBegin.size()) continue;
        for (std::uint32_t i = index.opBegin[op.value]; i < index.opBegin[op.value + 1]; ++i) {
            const ENodeId node(index.byOp[i]);
            if (!isArithmetic(graph, node) || graph.children(node).size() <= each.place) continue;
            const std::optional<double> argument = numberOf(graph, graph.child(node, each.place));
            if (argument && !each.isDefined(*argument)) found.push_back(node);
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
