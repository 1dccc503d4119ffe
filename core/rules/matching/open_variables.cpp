// SPDX-License-Identifier: GPL-3.0-or-later
// See open_variables.h.
#include "core/rules/matching/open_variables.h"

#include "core/rules/directed_rule.h"
#include "core/rules/matching/substitution_words.h"

#include <algorithm>

namespace mitos::rules {

namespace {

/// In place of the length of a sequence: the word before is a type.
constexpr std::uint32_t OpenMark = 0xFFFFFFFF;

bool isOfTypes(Attribute attribute) {
    switch (attribute) {
        case Attribute::Type:
        case Attribute::Dtype:
        case Attribute::Rank:
        case Attribute::IsTuple:
        case Attribute::IsScalar:
        case Attribute::Shape:
        case Attribute::IsStatic:
        case Attribute::IsFloating: return true;
        default: return false;
    }
}

template <typename Holds>
bool holdsForSomeAlternate(const CompiledRule& rule, Holds holds) {
    if (rule.patterns == nullptr) return false;
    const std::vector<NamedPattern>& patterns = rule.patterns->patterns;
    for (const NodeTable* const table : tablesOf(rule)) {
        for (const Node& node : table->nodes) {
            if (node.kind == NodeKind::Unfold && std::ranges::any_of(patterns[node.index].alternates, holds))
                return true;
        }
    }
    return false;
}

bool isConstrained(const Alternate& alternate) {
    return !alternate.constraints.empty() || alternate.guard != NoNode || !alternate.locals.empty();
}

/// Whether the node is made of operators, attributes and variables only, so that nothing depends on the terms of variables.
bool isPlain(const Node& node) {
    switch (node.kind) {
        case NodeKind::Variable:
        case NodeKind::Literal:
        case NodeKind::Text:
        case NodeKind::Number:
        case NodeKind::Approx:
        case NodeKind::Unfold:
        case NodeKind::Parameter:
        case NodeKind::AnyLiteral:
        case NodeKind::Const:
        case NodeKind::Default: return true;
        case NodeKind::Apply: return node.binder == NoVar;
        default: return false;
    }
}

}  // namespace

bool asksForTerm(const ConditionNode& condition) {
    switch (condition.kind) {
        case ConditionKind::Value:
        case ConditionKind::MemberOf:
        case ConditionKind::Mentions: return true;
        case ConditionKind::Attribute: return !isOfTypes(condition.attribute);
        default: return false;
    }
}

std::vector<bool> variablesAskedFor(const CompiledRule& rule) {
    std::vector<bool> asked(rule.valueCount, false);
    for (const ConditionNode& condition : rule.table.conditions) {
        const bool isValue = condition.owner == Owner::Rule && condition.var < asked.size();
        if (isValue && asksForTerm(condition)) asked[condition.var] = true;
    }
    return asked;
}

std::vector<bool> openVariables(const CompiledRule& rule) {
    const auto isPlainTable = [](const NodeTable* table) { return std::ranges::all_of(table->nodes, isPlain); };
    const bool isClosed = !rule.constraints.empty() || !rule.locals.empty() ||
                          holdsForSomeAlternate(rule, isConstrained) ||
                          !std::ranges::all_of(tablesOf(rule), isPlainTable);
    if (isClosed) return std::vector<bool>(rule.valueCount, false);
    std::vector<bool> open = variablesAskedFor(rule);
    open.flip();
    for (std::size_t i = 0; i < open.size(); ++i) {
        if (rule.variables[i].kind != VarKind::Term) open[i] = false;
    }
    return open;
}

void appendOpenWords(const ir::TermBank& bank, const Substitution& substitution, const std::vector<bool>& open,
                     std::vector<std::uint32_t>& words) {
    for (std::size_t i = 0; i < substitution.values.size(); ++i) {
        const Binding& value = substitution.values[i];
        if (!open[i] || !value.term.isValid() || !bank.types().isArray(bank.type(value.term))) {
            appendWords(value, words);
            continue;
        }
        words.push_back(bank.type(value.term).value);
        words.push_back(OpenMark);
    }
}

bool isInexact(const CompiledRule& rule) {
    return !rule.constraints.empty() || holdsForSomeAlternate(rule, isConstrained);
}

}  // namespace mitos::rules
