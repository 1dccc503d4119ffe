// SPDX-License-Identifier: GPL-3.0-or-later
// ⟦g[θ]⟧ of PyPM's Figure 16: conditions over terms without binders, read without the library's evaluation of conditions.
#pragma once

#include "core/rules/language/compiled.h"

#include <absl/functional/function_ref.h>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mitos::tests {

class DeclarativeGuard {
public:
    /// The value of a variable of the rule, of a parameter or of a local; invalid if θ has none.
    using Lookup = absl::FunctionRef<ir::TermId(rules::Owner, std::uint32_t)>;

    DeclarativeGuard(ir::TermBank& bank, const std::vector<rules::ConditionNode>& conditions, Lookup lookup)
        : m_bank(bank),
          m_conditions(conditions),
          m_lookup(lookup) {}

    /// Nothing if θ does not say, or if the condition asks for what there is not, such as the number of a sum.
    std::optional<bool> truth(std::uint32_t index) {
        const rules::ConditionNode& node = m_conditions[index];
        switch (node.kind) {
            case rules::ConditionKind::And:
            case rules::ConditionKind::Or: {
                const bool decides = node.kind == rules::ConditionKind::Or;
                const std::optional<bool> left = truth(node.left);
                const std::optional<bool> right = truth(node.right);
                if (left == decides || right == decides) return decides;
                return left && right ? std::optional(!decides) : std::nullopt;
            }
            case rules::ConditionKind::Not: {
                const std::optional<bool> inner = truth(node.left);
                return inner ? std::optional(!*inner) : std::nullopt;
            }
            case rules::ConditionKind::Equal: return areEqual(node);
            case rules::ConditionKind::NotEqual: {
                const std::optional<bool> equal = areEqual(node);
                return equal ? std::optional(!*equal) : std::nullopt;
            }
            case rules::ConditionKind::Less: return order(node, [](double a, double b) { return a < b; });
            case rules::ConditionKind::LessEqual: return order(node, [](double a, double b) { return a <= b; });
            case rules::ConditionKind::Greater: return order(node, [](double a, double b) { return a > b; });
            case rules::ConditionKind::GreaterEqual: return order(node, [](double a, double b) { return a >= b; });
            case rules::ConditionKind::MemberOf: {
                const ir::TermId term = m_lookup(node.owner, node.var);
                if (!term.isValid()) return std::nullopt;
                return std::find(node.words.begin(), node.words.end(), operatorOf(term)) != node.words.end();
            }
            default: {
                const Value found = value(index);
                return std::holds_alternative<bool>(found) ? std::optional(std::get<bool>(found)) : std::nullopt;
            }
        }
    }

    /// A condition that is not covered; empty if there is none so far.
    [[nodiscard]] const std::string& unsupported() const { return m_unsupported; }

private:
    using Value = std::variant<std::monostate, bool, double, std::string, ir::TypeId>;

    [[nodiscard]] std::string operatorOf(ir::TermId term) const {
        if (m_bank.is(term, ir::CoreOp::Call)) return m_bank.function(m_bank.payload(term).asFunction()).name;
        return std::string(m_bank.opName(term));
    }

    [[nodiscard]] Value literal(ir::TermId term) const {
        if (!m_bank.is(term, ir::CoreOp::Literal)) return {};
        const ir::Payload& payload = m_bank.payload(term);
        switch (payload.kind()) {
            case ir::PayloadKind::Integer: return static_cast<double>(payload.asInteger());
            case ir::PayloadKind::Float: return payload.asFloat();
            case ir::PayloadKind::Bool: return payload.asBool();
            default: return std::string(m_bank.text(payload.asSymbol()));
        }
    }

    Value value(std::uint32_t index) {
        const rules::ConditionNode& node = m_conditions[index];
        switch (node.kind) {
            case rules::ConditionKind::Constant:
                if (node.isBoolean) return node.integer == 1;
                return node.isInteger ? static_cast<double>(node.integer) : node.number;
            case rules::ConditionKind::Word: return node.text;
            case rules::ConditionKind::Type: return node.type.in(m_bank.types());
            case rules::ConditionKind::Value:
            case rules::ConditionKind::Attribute: break;
            default: m_unsupported = "a condition over lists, bound variables or arithmetic"; return {};
        }
        const ir::TermId term = m_lookup(node.owner, node.var);
        if (!term.isValid()) return {};
        if (node.kind == rules::ConditionKind::Value) return literal(term);
        switch (node.attribute) {
            case rules::Attribute::Type: return m_bank.type(term);
            case rules::Attribute::IsConst: return m_bank.is(term, ir::CoreOp::Literal);
            case rules::Attribute::IsVar: return m_bank.is(term, ir::CoreOp::Variable);
            case rules::Attribute::Nodes: return static_cast<double>(m_bank.treeSize(term));
            case rules::Attribute::Op: return operatorOf(term);
            default: m_unsupported = "another attribute in a condition"; return {};
        }
    }

    std::optional<bool> areEqual(const rules::ConditionNode& node) {
        const Value left = value(node.left);
        const Value right = value(node.right);
        const bool haveValues = left.index() != 0 && right.index() != 0;
        if (haveValues) return left.index() == right.index() ? std::optional(left == right) : std::nullopt;
        const rules::ConditionNode& first = m_conditions[node.left];
        const rules::ConditionNode& second = m_conditions[node.right];
        if (first.kind != rules::ConditionKind::Value || second.kind != rules::ConditionKind::Value)
            return std::nullopt;
        const ir::TermId a = m_lookup(first.owner, first.var);
        const ir::TermId b = m_lookup(second.owner, second.var);
        return a.isValid() && b.isValid() ? std::optional(a == b) : std::nullopt;
    }

    template <typename Compare>
    std::optional<bool> order(const rules::ConditionNode& node, const Compare& compare) {
        const Value left = value(node.left);
        const Value right = value(node.right);
        if (!std::holds_alternative<double>(left) || !std::holds_alternative<double>(right)) return std::nullopt;
        return compare(std::get<double>(left), std::get<double>(right));
    }

    ir::TermBank& m_bank;
    const std::vector<rules::ConditionNode>& m_conditions;
    Lookup m_lookup;
    std::string m_unsupported;
};

}  // namespace mitos::tests
