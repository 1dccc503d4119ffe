// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/language/internal/unbound.h"

#include "core/rules/language/internal/never_holds.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace mitos::rules {

namespace {

/// The names that an expression has bound once it has matched: parameters of its alternate, or variables of its rule, by number.
class BoundNames {
public:
    BoundNames(const PatternTable& patterns, const NodeTable& table, Owner owner)
        : m_patterns(patterns),
          m_table(table),
          m_owner(owner) {}

    void add(std::uint32_t index) { add(m_table.nodes[index]); }
    [[nodiscard]] bool contains(std::uint32_t name) const { return m_names.contains(name); }

private:
    void add(const Node& node) {
        switch (node.kind) {
            case NodeKind::Variable:
            case NodeKind::Sequence:
                if (m_owner == Owner::Rule) m_names.insert(node.var);
                break;
            case NodeKind::Parameter:
                if (m_owner == Owner::Parameter) m_names.insert(node.index);
                break;
            case NodeKind::Function:
                if (node.owner == m_owner) m_names.insert(m_owner == Owner::Rule ? node.var : node.index);
                break;
            case NodeKind::Apply:
                if (m_owner == Owner::Rule && node.var != NoVar) m_names.insert(node.var);
                if (m_owner == Owner::Rule && node.binder != NoVar) m_names.insert(node.binder);
                break;
            default: break;
        }
        for (const std::uint32_t attribute : node.attributes) add(m_table.nodes[attribute]);
        for (std::size_t i = 0; i < node.childCount; ++i) {
            const bool isUnbound = node.kind == NodeKind::Unfold && !m_patterns.patterns[node.index].isBound[i];
            if (!isUnbound) add(m_table.child(node, i));
        }
    }

    const PatternTable& m_patterns;
    const NodeTable& m_table;
    Owner m_owner;
    std::set<std::uint32_t> m_names;
};

class UseFinder {
public:
    explicit UseFinder(const CompiledRule& rule) : m_rule(rule), m_bound(*rule.patterns, rule.table, Owner::Rule) {
        m_bound.add(rule.left);
        for (const CompiledConstraint& constraint : rule.constraints) m_bound.add(constraint.pattern);
        for (const VarIndex local : rule.locals) m_reported.insert(local);  // they must be bound at the end
    }

    /// The first variable that is not bound; empty if all are.
    std::string firstOpen() {
        for (const VarIndex local : m_rule.locals) {
            if (!m_bound.contains(local)) return m_rule.variables[local].name;
        }
        run();
        return m_open;
    }

    std::vector<UnboundUse> run() {
        condition(m_rule.guard, "the condition does not hold");
        for (const CompiledBranch& branch : m_rule.branches) {
            condition(branch.condition, "this result is not taken");
            result(m_rule.table.nodes[branch.root]);
        }
        return std::move(m_uses);
    }

private:
    void use(VarIndex var, SourceSpan span, const char* consequence) {
        const bool isName = var < m_rule.valueCount && m_rule.variables[var].kind != VarKind::Choices;
        if (!isName || m_bound.contains(var) || !m_reported.insert(var).second) return;
        if (m_open.empty()) m_open = m_rule.variables[var].name;
        m_uses.push_back({span, fmt::format("{} is bound by some alternates only; where it is not, {}",
                                            m_rule.variables[var].name, consequence)});
    }

    void condition(std::uint32_t index, const char* consequence) {
        if (index == NoNode) return;
        const ConditionNode& node = m_rule.table.conditions[index];
        if (isOfVariable(node)) use(node.var, node.span, consequence);
        for (const std::uint32_t part : partsOf(node)) condition(part, consequence);
    }

    void result(const Node& node) {
        static constexpr const char* Consequence = "there is no rewrite";
        const bool isUse = node.kind == NodeKind::Variable || node.kind == NodeKind::Sequence ||
                           (node.kind == NodeKind::Function && node.owner == Owner::Rule);
        if (isUse) use(node.var, node.span, Consequence);
        if (node.kind == NodeKind::Const) condition(node.index, Consequence);
        for (const std::uint32_t attribute : node.attributes) result(m_rule.table.nodes[attribute]);
        for (std::size_t i = 0; i < node.childCount; ++i) result(m_rule.table.child(node, i));
    }

    const CompiledRule& m_rule;
    BoundNames m_bound;
    std::set<VarIndex> m_reported;
    std::vector<UnboundUse> m_uses;
    std::string m_open;
};

}  // namespace

void findBoundParameters(PatternTable& patterns) {
    for (NamedPattern& pattern : patterns.patterns) pattern.isBound.assign(pattern.parameters.size(), true);
    for (bool changed = true; changed;) {
        changed = false;
        for (NamedPattern& pattern : patterns.patterns) {
            for (const Alternate& alternate : pattern.alternates) {
                BoundNames bound(patterns, alternate.table, Owner::Parameter);
                bound.add(alternate.root);
                for (const CompiledConstraint& constraint : alternate.constraints) bound.add(constraint.pattern);
                for (std::uint32_t i = 0; i < pattern.parameters.size(); ++i) {
                    if (!pattern.isBound[i] || bound.contains(i)) continue;
                    pattern.isBound[i] = false;
                    changed = true;
                }
            }
        }
    }
}

std::vector<UnboundUse> unboundUses(const CompiledRule& rule) { return UseFinder(rule).run(); }

std::string firstOpenVariable(const CompiledRule& rule) { return UseFinder(rule).firstOpen(); }

}  // namespace mitos::rules
