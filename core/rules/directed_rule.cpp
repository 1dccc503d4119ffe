// SPDX-License-Identifier: GPL-3.0-or-later
// Matches, applies and checks one direction.
#include "core/rules/directed_rule.h"

#include "core/rules/conditions.h"
#include "core/rules/distinct_values.h"
#include "core/rules/instantiate.h"
#include "core/rules/matcher.h"
#include "core/rules/multi_rule.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::rules {

using ir::CoreOp;
using ir::TermId;

namespace {

Error wrong(std::string message) { return Error{ErrorCode::InvalidInput, std::move(message), std::nullopt, {}, {}}; }

bool isTerm(const ir::TermBank& bank, TermId id) { return id.isValid() && id.value < bank.size(); }

/// Whether a value has its variable's kind. A missing value is allowed, because the alternates taken need not mention the variable;
/// if a variable is needed, instantiation detects that it is not bound.
bool fits(const ir::TermBank& bank, const Variable& variable, const Binding& value) {
    const bool isSequence = variable.kind == VarKind::Sequence || variable.kind == VarKind::Choices;
    if (isSequence) {
        return std::all_of(value.sequence.begin(), value.sequence.end(), [&](TermId id) { return isTerm(bank, id); });
    }
    if (!value.sequence.empty()) return false;
    if (!value.term.isValid()) return true;
    if (!isTerm(bank, value.term)) return false;
    if (variable.kind == VarKind::Binder) return bank.is(value.term, CoreOp::Variable);
    if (variable.kind != VarKind::Attribute) return true;
    return bank.is(value.term, CoreOp::Literal) && bank.payload(value.term).kind() == ir::PayloadKind::Integer &&
           bank.payload(value.term).asInteger() >= 0;
}

}  // namespace

CompiledDirection::CompiledDirection(const Rule& description, Direction direction, CompiledRule compiled, Finds finds)
    : m_rule(description),
      m_direction(direction),
      m_compiled(std::move(compiled)) {
    m_rule.directions.clear();
    m_rule.multis.clear();
    const auto& nodes = m_compiled.table.nodes;
    m_hasPatterns =
        std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.kind == NodeKind::Unfold; });
    if (finds == Finds::LeftSides) {
        m_leftAlone = m_compiled;
        m_leftAlone->constraints.clear();
        m_leftAlone->guard = NoNode;
        m_leftAlone->locals.clear();
    }
    for (std::size_t i = 0; i < m_compiled.valueCount; ++i) m_names.push_back(m_compiled.variables[i].name);
}

std::string CompiledDirection::name() const { return m_rule.name + (m_direction == Direction::Backward ? "~" : ""); }

void CompiledDirection::match(ir::TermBank& bank, TermId subject,
                              absl::FunctionRef<bool(const Substitution&)> found) const {
    const auto& roots = m_compiled.rootOperators;
    if (!roots.empty() && std::find(roots.begin(), roots.end(), bank.op(subject)) == roots.end()) return;
    const ProgramView view(bank);
    Matcher matcher(view, m_leftAlone ? *m_leftAlone : m_compiled);
    if (!m_hasPatterns) {
        matcher.run(view.placeOf(subject), found);
        return;
    }
    // Named patterns may find the same values in several ways; the first one is recorded.
    DistinctValues seen(m_compiled);
    matcher.run(view.placeOf(subject), [&](const Substitution& match) { return !seen.insert(match) || found(match); });
}

Result<TermId> CompiledDirection::apply(ir::TermBank& bank, const Substitution& substitution, TermId subject) const {
    if (substitution.values.size() != m_compiled.valueCount) return wrong("the substitution is of another rule");
    Result<TermId> result = Instantiator(bank, m_compiled, substitution).right(bank.type(subject));
    if (!result || bank.type(*result) == bank.type(subject)) return result;
    return wrong(fmt::format("{} gives a {} where a {} is needed", name(), bank.types().toString(bank.type(*result)),
                             bank.types().toString(bank.type(subject))));
}

Result<TermId> CompiledDirection::left(ir::TermBank& bank, const Substitution& substitution) const {
    if (substitution.values.size() != m_compiled.valueCount) {
        return wrong(fmt::format("{} has {} variables, the substitution {} values", name(), m_compiled.valueCount,
                                 substitution.values.size()));
    }
    for (std::size_t i = 0; i < m_compiled.valueCount; ++i) {
        if (fits(bank, m_compiled.variables[i], substitution.values[i])) continue;
        return wrong(fmt::format("the value of {} is not of its kind", m_compiled.variables[i].name));
    }
    return Instantiator(bank, m_compiled, substitution).left();
}

bool CompiledDirection::guardHolds(ir::TermBank& bank, const Substitution& substitution) const {
    return holds({bank, m_compiled, substitution.values, m_compiled.table}, m_compiled.guard);
}

Status CompiledDirection::isInstance(ir::TermBank& bank, const Substitution& substitution, TermId subject) const {
    const Result<TermId> instance = left(bank, substitution);
    if (!instance) return instance.error();
    if (*instance != subject) {
        return wrong(
            fmt::format("the left side of {} under the substitution is not the subterm at the position", name()));
    }
    if (!guardHolds(bank, substitution)) return wrong(fmt::format("the condition of {} does not hold", name()));
    return Success{};
}

const CompiledRule* compiledOf(const DirectedRule& rule) {
    if (const MultiRule* const several = rule.several()) return &several->whole();
    const auto* const compiled = dynamic_cast<const CompiledDirection*>(&rule);
    return compiled == nullptr ? nullptr : &compiled->compiled();
}

std::vector<const NodeTable*> tablesOf(const CompiledRule& rule) {
    std::vector<const NodeTable*> tables{&rule.table};
    std::vector<bool> isKnown(rule.patterns == nullptr ? 0 : rule.patterns->patterns.size());
    for (std::size_t i = 0; i < tables.size(); ++i) {
        for (const Node& node : tables[i]->nodes) {
            if (node.kind != NodeKind::Unfold || isKnown[node.index]) continue;
            isKnown[node.index] = true;
            for (const Alternate& one : rule.patterns->patterns[node.index].alternates) tables.push_back(&one.table);
        }
    }
    return tables;
}

}  // namespace mitos::rules
