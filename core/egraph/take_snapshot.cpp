// SPDX-License-Identifier: GPL-3.0-or-later
// See take_snapshot.h.
#include "core/egraph/take_snapshot.h"

#include "core/egraph/egraph_rule.h"
#include "core/ir/dialect.h"
#include "core/ir/shared.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::egraph {

namespace {

/// Adds the type to operators that would make e-nodes of different classes equal: those of empty vectors of several types, for instance.
/// `typeOf` returns the type of a class. The type is written in full, as types of nested tuples may differ at their end only.
void distinguish(Snapshot& snapshot, absl::FunctionRef<std::string(std::uint32_t)> typeOf) {
    absl::flat_hash_map<std::pair<std::string, std::vector<std::uint32_t>>, std::uint32_t> first;
    std::vector<bool> isShared(snapshot.nodes.size(), false);
    for (std::uint32_t i = 0; i < snapshot.nodes.size(); ++i) {
        const Snapshot::Node& node = snapshot.nodes[i];
        std::vector<std::uint32_t> children;
        for (std::uint32_t k = 0; k < node.childCount; ++k) {
            children.push_back(snapshot.nodes[snapshot.children[node.firstChild + k]].eclass);
        }
        const auto [known, isNew] = first.try_emplace({node.op, std::move(children)}, i);
        if (isNew || snapshot.nodes[known->second].eclass == node.eclass) continue;
        isShared[known->second] = isShared[i] = true;
    }
    for (std::uint32_t i = 0; i < snapshot.nodes.size(); ++i) {
        Snapshot::Node& node = snapshot.nodes[i];
        if (isShared[i]) node.op += ": " + typeOf(node.eclass);
    }
}

}  // namespace

Snapshot takeSnapshot(EGraph& graph, std::span<const ENodeId> roots, absl::FunctionRef<double(ENodeId)> cost) {
    Snapshot snapshot;
    std::vector<std::uint32_t> numberOf(graph.idCount(), Snapshot::None);  // number of a class, by leader
    std::vector<ir::TypeId> types;                                         // by class
    const ir::TypeTable& typeTable = graph.bank().types();
    std::vector<std::uint32_t> memberOf(graph.idCount(), Snapshot::None);  // first node of a class here, by leader
    for (std::uint32_t node = 0; node < graph.idCount(); ++node) {
        if (!graph.isLive(ENodeId(node)) || graph.isPruned(ENodeId(node))) continue;
        const std::uint32_t leader = graph.find(ENodeId(node)).value;
        if (numberOf[leader] == Snapshot::None) {
            numberOf[leader] = static_cast<std::uint32_t>(snapshot.classes.size());
            memberOf[leader] = static_cast<std::uint32_t>(snapshot.nodes.size());
            Snapshot::Class& eclass = snapshot.classes.emplace_back();
            eclass.id = std::to_string(leader);
            eclass.iteration = graph.mergeIteration(ENodeId(leader));
            types.push_back(graph.type(ENodeId(leader)));
            eclass.type = typeTable.toShortString(types.back());
        }
        const EGraph::Origin origin = graph.origin(ENodeId(node));
        Snapshot::Node& shown = snapshot.nodes.emplace_back();
        shown.id = std::to_string(node);
        shown.op = ir::labelOf(graph.bank(), graph.term(ENodeId(node)));
        // Where a bound variable is bound is not recorded, so its type is all that tells it from others.
        if (graph.bank().is(graph.term(ENodeId(node)), ir::CoreOp::Bound)) {
            shown.op += ": " + typeTable.toString(graph.type(ENodeId(node)));
        }
        shown.eclass = numberOf[leader];
        const double price = cost(ENodeId(node));
        shown.cost = std::isfinite(price) ? price : 0.0;
        shown.iteration = origin.iteration;
        shown.rule = origin.rule;
        shown.subsumed = !std::isfinite(price) || !graph.isInScope(ENodeId(node));
    }
    std::size_t at = 0;
    for (std::uint32_t node = 0; node < graph.idCount(); ++node) {
        if (!graph.isLive(ENodeId(node)) || graph.isPruned(ENodeId(node))) continue;
        Snapshot::Node& shown = snapshot.nodes[at++];
        shown.firstChild = static_cast<std::uint32_t>(snapshot.children.size());
        for (const std::uint32_t child : graph.children(ENodeId(node))) {
            snapshot.children.push_back(memberOf[graph.find(ENodeId(child)).value]);
        }
        shown.childCount = static_cast<std::uint32_t>(snapshot.children.size()) - shown.firstChild;
    }
    distinguish(snapshot, [&](std::uint32_t eclass) { return typeTable.toString(types[eclass]); });
    for (const ENodeId root : roots) {
        const std::uint32_t number = numberOf[graph.find(root).value];
        if (std::ranges::find(snapshot.roots, number) == snapshot.roots.end()) snapshot.roots.push_back(number);
    }
    for (const auto& rule : graph.rules()) snapshot.rules.push_back(rule->name());
    return snapshot;
}

NodeChoice nodesOf(EGraph& graph, const Snapshot& snapshot, std::span<const ir::TermId> terms) {
    absl::flat_hash_map<std::string_view, std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < snapshot.nodes.size(); ++i) numbers.emplace(snapshot.nodes[i].id, i);
    NodeChoice choice(snapshot.classes.size(), Snapshot::None);
    for (const ir::TermId term : terms) {
        for (const ir::TermId part : ir::SharedNodes(graph.bank(), term)) {
            const ENodeId member = graph.lookup(part);
            if (!member.isValid()) continue;
            std::vector<ENodeId> children;
            for (const std::uint32_t child : graph.originalChildren(member)) children.emplace_back(child);
            const ENodeId node = graph.congruent(graph.headOf(member), children);
            const auto found = node.isValid() ? numbers.find(std::to_string(node.value)) : numbers.end();
            if (found == numbers.end()) continue;
            std::uint32_t& chosen = choice[snapshot.nodes[found->second].eclass];
            if (chosen == Snapshot::None) chosen = found->second;
        }
    }
    return choice;
}

}  // namespace mitos::egraph
