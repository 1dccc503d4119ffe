// SPDX-License-Identifier: GPL-3.0-or-later
// See egraph_rule.h.
#include "core/egraph/egraph_rule.h"

#include "core/rules/matching/open_variables.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace mitos::egraph {

using rules::CompiledRule;
using rules::NodeKind;

namespace {

/// Whether conditions depend only on the types of terms and on the values of attributes.
bool isTypedRule(const CompiledRule& rule, const FlatPattern& flat) {
    const std::vector<bool> asked = rules::variablesAskedFor(rule);
    for (std::uint32_t i = 0; i < asked.size(); ++i) {
        if (asked[i] && !flat.isAttribute(i)) return false;
    }
    return true;
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
      m_rule(std::move(rule)) {
    std::vector<std::uint32_t> roots{compiled().left};
    if (m_rule->roots().size() == 1) {
        m_parts.push_back(m_rule);
    } else {
        for (const rules::RuleRoot& root : m_rule->roots()) m_parts.push_back(root.alone);
        const rules::Node& tuple = compiled().table.nodes[compiled().left];
        const auto first = compiled().table.children.begin() + tuple.firstChild;
        roots.assign(first, first + static_cast<std::ptrdiff_t>(tuple.childCount));
    }
    for (const std::uint32_t root : roots) {
        m_height = std::max(m_height, heightOf(compiled(), compiled().table.nodes[root]));
    }
    m_flat = FlatPattern::compile(compiled(), roots);
    if (!m_flat) return;
    m_isTyped = std::ranges::all_of(m_parts, [&](const auto& part) { return isTypedRule(part->compiled(), *m_flat); });
    if (!m_isTyped && !m_flat->attributeOperators().empty()) {
        m_flat.reset();  // matches would be searched in full, those of the general matcher only near changes
        return;
    }
    for (std::uint32_t i = 0; i < m_flat->nodes().size(); ++i) {
        if (m_flat->nodes()[i].kind == FlatPattern::Node::Kind::Literal) m_literals.push_back(i);
    }
}

}  // namespace mitos::egraph
