// SPDX-License-Identifier: GPL-3.0-or-later
// See joint_roots.h.
#include "core/egraph/joint_roots.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace mitos::egraph {

using rules::CompiledRule;
using rules::ConditionKind;
using rules::ConditionNode;
using rules::NoNode;
using rules::NoVar;
using rules::VarIndex;

namespace {

/// Maps each variable to its counterpart when two roots are swapped.
using Swap = absl::flat_hash_map<VarIndex, VarIndex>;

VarIndex swapped(const Swap& swap, VarIndex var) {
    const auto found = swap.find(var);
    return found == swap.end() ? var : found->second;
}

bool pair(Swap& swap, VarIndex a, VarIndex b) {
    if (a == NoVar || b == NoVar) return a == b;
    return swap.try_emplace(a, b).first->second == b && swap.try_emplace(b, a).first->second == a;
}

/// Whether two patterns are equal up to the variables that are paired in the traversal.
bool isSame(const CompiledRule& rule, const rules::Node& a, const rules::Node& b, Swap& swap) {
    const auto isDifferent = [&] {
        return a.kind != b.kind || a.op != b.op || a.index != b.index || a.payload != b.payload ||
               a.childCount != b.childCount || a.attributes.size() != b.attributes.size();
    };
    // Numbers are compared by their spelling: 1 and 1.0 match differently.
    if (isDifferent() || std::bit_cast<std::uint64_t>(a.value) != std::bit_cast<std::uint64_t>(b.value)) return false;
    if (a.kind == rules::NodeKind::Text && a.name != b.name) return false;
    if (a.binder != NoVar || b.binder != NoVar || a.kind == rules::NodeKind::Unfold) return false;
    if (!pair(swap, a.var, b.var)) return false;
    for (std::size_t i = 0; i < a.attributes.size(); ++i) {
        if (!isSame(rule, rule.table.nodes[a.attributes[i]], rule.table.nodes[b.attributes[i]], swap)) return false;
    }
    for (std::size_t i = 0; i < a.childCount; ++i) {
        if (!isSame(rule, rule.table.child(a, i), rule.table.child(b, i), swap)) return false;
    }
    return true;
}

std::string textOf(const rules::TypeSpec& type) {
    std::string text = fmt::format("{}:{}", static_cast<int>(type.kind), type.rank);
    for (const rules::TypeSpec& child : type.children) text += fmt::format("({})", textOf(child));
    return text;
}

/// The condition as a canonical text: operands whose order does not matter are sorted.
std::string textOf(const CompiledRule& rule, std::uint32_t condition, const Swap& swap) {
    if (condition == NoNode) return {};
    const ConditionNode& node = rule.table.conditions[condition];
    const auto child = [&](std::uint32_t at) { return textOf(rule, at, swap); };
    std::vector<std::string> operands;
    switch (node.kind) {
        case ConditionKind::And:
        case ConditionKind::Or:
        case ConditionKind::Equal:
        case ConditionKind::NotEqual:
        case ConditionKind::Add:
        case ConditionKind::Multiply:
            operands = {child(node.left), child(node.right)};
            std::ranges::sort(operands);
            break;
        case ConditionKind::Not:
        case ConditionKind::Negate:
        case ConditionKind::Slice: operands = {child(node.left)}; break;
        case ConditionKind::Element:
        case ConditionKind::Less:
        case ConditionKind::LessEqual:
        case ConditionKind::Greater:
        case ConditionKind::GreaterEqual:
        case ConditionKind::Subtract:
        case ConditionKind::Divide:
        case ConditionKind::Remainder: operands = {child(node.left), child(node.right)}; break;
        case ConditionKind::Apply: operands = {child(node.left)}; break;
        default: break;
    }
    for (const std::uint32_t element : node.elements) operands.push_back(child(element));
    return fmt::format("{}:{}:{}:{}:{}:{}:{}:{}:{}:{}({})", static_cast<int>(node.kind),
                       static_cast<int>(node.attribute), swapped(swap, node.var), swapped(swap, node.binder),
                       node.integer, node.number, node.text, textOf(node.type), static_cast<int>(node.function),
                       fmt::join(node.words, "|"), fmt::join(operands, ","));
}

/// The conjuncts of the rule's condition, sorted.
std::vector<std::string> conjuncts(const CompiledRule& rule, const Swap& swap) {
    std::vector<std::string> result;
    std::vector<std::uint32_t> open{rule.guard};
    while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        if (at != NoNode && rule.table.conditions[at].kind == ConditionKind::And) {
            open.push_back(rule.table.conditions[at].left);
            open.push_back(rule.table.conditions[at].right);
        } else {
            result.push_back(textOf(rule, at, swap));
        }
    }
    std::ranges::sort(result);
    return result;
}

}  // namespace

std::vector<std::vector<bool>> interchangeableRoots(const CompiledRule& whole) {
    const rules::Node& tuple = whole.table.nodes[whole.left];
    std::vector<std::vector<bool>> result(tuple.childCount, std::vector<bool>(tuple.childCount, false));
    if (!whole.constraints.empty() || !whole.locals.empty()) return result;
    for (std::size_t i = 0; i < tuple.childCount; ++i) {
        for (std::size_t j = i + 1; j < tuple.childCount; ++j) {
            Swap swap;
            bool isInterchangeable = isSame(whole, whole.table.child(tuple, i), whole.table.child(tuple, j), swap);
            // The swap must leave the other roots unchanged.
            for (std::size_t k = 0; isInterchangeable && k < tuple.childCount; ++k) {
                const rules::Node& other = whole.table.child(tuple, k);
                isInterchangeable = k == i || k == j || isSame(whole, other, other, swap);
            }
            result[i][j] = result[j][i] = isInterchangeable && conjuncts(whole, swap) == conjuncts(whole, {});
        }
    }
    return result;
}

namespace {

/// The smallest parts of a class, ascending; the class itself if nothing is projected from it.
const ApartRoots::Parts& partsOf(const EGraph& graph, std::uint32_t eclass, ApartRoots::Memory& memory) {
    const auto [known, isNew] = memory.try_emplace(eclass);
    if (!isNew) return known->second;  // still empty if a class is a part of itself
    ApartRoots::Parts parts;
    const HeadTable& heads = graph.heads();
    graph.forEachUse(ENodeId(eclass), [&](ENodeId user, std::uint32_t) {
        if (heads[graph.headOf(user)].arity != 1 || graph.isFiltered(user)) return;
        graph.forEachUse(graph.find(user), [&](ENodeId projection, std::uint32_t) {
            if (graph.headInfo(projection).matched != ir::opId(ir::CoreOp::Get) || graph.isFiltered(projection)) return;
            const ApartRoots::Parts& own = partsOf(graph, graph.find(projection).value, memory);
            parts.insert(parts.end(), own.begin(), own.end());
        });
    });
    if (parts.empty()) parts.push_back(eclass);
    std::ranges::sort(parts);
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return memory[eclass] = std::move(parts);
}

}  // namespace

bool ApartRoots::admits(const EGraph& graph, RootClass one, RootClass other, Memory& memory) const {
    if (one.root > other.root) std::swap(one, other);
    if (one.eclass == other.eclass || (m_interchangeable[one.root][other.root] && one.eclass > other.eclass))
        return false;
    if (!m_separatesParts) return true;
    const Parts own = partsOf(graph, other.eclass, memory);
    const Parts& parts = partsOf(graph, one.eclass, memory);
    return std::ranges::none_of(parts, [&](std::uint32_t part) { return std::ranges::binary_search(own, part); });
}

}  // namespace mitos::egraph
