// SPDX-License-Identifier: GPL-3.0-or-later
// See egraph_rule.h.
#include "core/egraph/egraph_rule.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mitos::egraph {

using rules::Attribute;
using rules::CompiledRule;
using rules::ConditionKind;
using rules::NodeKind;

namespace {

bool asksForTypesOnly(const CompiledRule& rule, std::uint32_t condition) {
    if (condition == rules::NoNode) return true;
    const rules::ConditionNode& node = rule.table.conditions[condition];
    switch (node.kind) {
        case ConditionKind::Constant:
        case ConditionKind::Word:
        case ConditionKind::Type: return true;
        case ConditionKind::Attribute:
            return node.attribute == Attribute::Type || node.attribute == Attribute::Dtype ||
                   node.attribute == Attribute::Rank || node.attribute == Attribute::IsTuple ||
                   node.attribute == Attribute::IsScalar || node.attribute == Attribute::Shape ||
                   node.attribute == Attribute::IsStatic || node.attribute == Attribute::IsFloating;
        case ConditionKind::List:
        case ConditionKind::Slice:
        case ConditionKind::ListCall:
            return (node.kind != ConditionKind::Slice || asksForTypesOnly(rule, node.left)) &&
                   std::all_of(node.elements.begin(), node.elements.end(),
                               [&](std::uint32_t each) { return asksForTypesOnly(rule, each); });
        case ConditionKind::Not:
        case ConditionKind::Negate: return asksForTypesOnly(rule, node.left);
        case ConditionKind::Apply:
        case ConditionKind::Value:
        case ConditionKind::Mentions:
        case ConditionKind::MemberOf: return false;
        default: return asksForTypesOnly(rule, node.left) && asksForTypesOnly(rule, node.right);
    }
}

bool isTypedRule(const CompiledRule& rule) {
    const auto isComputed = [&](const rules::Node& node) {
        return node.kind == NodeKind::Const && !asksForTypesOnly(rule, node.index);
    };
    return asksForTypesOnly(rule, rule.guard) &&
           std::all_of(rule.branches.begin(), rule.branches.end(),
                       [&](const rules::CompiledBranch& branch) { return asksForTypesOnly(rule, branch.condition); }) &&
           std::none_of(rule.table.nodes.begin(), rule.table.nodes.end(), isComputed);
}

/// How many levels below its root a left-hand side inspects classes; unbounded for named patterns or constraints.
std::uint32_t heightOf(const CompiledRule& rule, const rules::Node& node) {
    constexpr std::uint32_t Unbounded = std::numeric_limits<std::uint32_t>::max();
    if (node.kind == NodeKind::Unfold || !rule.constraints.empty()) return Unbounded;
    std::uint32_t height = 0;
    for (std::size_t i = 0; i < node.childCount; ++i) {
        const std::uint32_t below = heightOf(rule, rule.table.child(node, i));
        if (below == Unbounded) return Unbounded;
        height = std::max(height, below + 1);
    }
    return height;
}

}  // namespace

EGraphRule::EGraphRule(std::shared_ptr<const rules::CompiledDirection> rule)
    : m_name(rule->name()),
      m_parts{std::move(rule)} {
    const std::uint32_t root = compiled().left;
    prepare({&root, 1});
}

EGraphRule::EGraphRule(std::shared_ptr<const rules::MultiRule> rule)
    : m_name(rule->name()),
      m_multi(std::move(rule)),
      m_parts(m_multi->roots()) {
    const CompiledRule& whole = m_multi->whole();
    const rules::Node& tuple = whole.table.nodes[whole.left];
    prepare({whole.table.children.data() + tuple.firstChild, tuple.childCount});
}

Result<std::vector<rules::Substitution>> EGraphRule::partSubstitutions(ir::TermBank& bank,
                                                                       const rules::Substitution& whole) const {
    if (m_multi == nullptr) return std::vector{whole};
    return m_multi->projections(bank, whole);
}

void EGraphRule::prepare(std::span<const std::uint32_t> roots) {
    for (const std::uint32_t root : roots) {
        m_height = std::max(m_height, heightOf(compiled(), compiled().table.nodes[root]));
    }
    m_flat = FlatPattern::compile(compiled(), roots);
    if (!m_flat) return;
    m_isTyped =
        std::all_of(m_parts.begin(), m_parts.end(), [](const auto& part) { return isTypedRule(part->compiled()); });
    for (std::uint32_t i = 0; i < m_flat->nodes().size(); ++i) {
        if (m_flat->nodes()[i].kind == FlatPattern::Node::Kind::Literal) m_literals.push_back(i);
    }
}

}  // namespace mitos::egraph
