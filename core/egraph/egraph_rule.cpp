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

/// How many levels below its root a left-hand side inspects classes; unbounded for constraints, and for named patterns that are recursive.
class Height {
public:
    explicit Height(const CompiledRule& rule) : m_rule(rule) {}

    [[nodiscard]] std::uint32_t of(const rules::Node& node) {
        return m_rule.constraints.empty() ? of({m_rule.table, {}}, node) : Unbounded;
    }

private:
    static constexpr std::uint32_t Unbounded = std::numeric_limits<std::uint32_t>::max();
    struct Scope {
        const rules::NodeTable& table;
        std::vector<std::uint32_t> parameters;  // heights of the arguments of a named pattern
    };

    std::uint32_t of(const Scope& scope, const rules::Node& node) {
        if (node.kind == NodeKind::Parameter) return scope.parameters[node.index];
        std::vector<std::uint32_t> children;
        for (std::size_t i = 0; i < node.childCount; ++i) children.push_back(of(scope, scope.table.child(node, i)));
        if (node.kind == NodeKind::Unfold) return ofPattern(node.index, children);
        const std::uint32_t below = children.empty() ? 0 : *std::ranges::max_element(children);
        return children.empty() || below == Unbounded ? below : below + 1;
    }

    std::uint32_t ofPattern(std::uint32_t pattern, const std::vector<std::uint32_t>& arguments) {
        if (std::ranges::find(m_open, pattern) != m_open.end()) return Unbounded;
        m_open.push_back(pattern);
        std::uint32_t height = 0;
        for (const rules::Alternate& one : m_rule.patterns->patterns[pattern].alternates) {
            const bool isBounded = one.constraints.empty();
            height = std::max(height, isBounded ? of({one.table, arguments}, one.table.nodes[one.root]) : Unbounded);
        }
        m_open.pop_back();
        return height;
    }

    const CompiledRule& m_rule;
    std::vector<std::uint32_t> m_open;  // named patterns that are being unfolded
};

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
        m_height = std::max(m_height, Height(compiled()).of(compiled().table.nodes[root]));
    }
    for (const rules::NodeTable* const table : rules::tablesOf(compiled())) {
        for (const rules::ConditionNode& node : table->conditions) {
            if (node.kind != rules::ConditionKind::Attribute || node.attribute != rules::Attribute::Analysis) continue;
            m_asked.push_back({node.analysis, node.owner == rules::Owner::Rule ? node.var : rules::NoVar});
        }
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
