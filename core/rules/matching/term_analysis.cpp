// SPDX-License-Identifier: GPL-3.0-or-later
// See term_analysis.h and internal/analysis_values.h.
#include "core/rules/matching/term_analysis.h"

#include "core/ir/attributes.h"
#include "core/rules/language/array_operators.h"
#include "core/rules/matching/internal/analysis_values.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::rules {

using ir::TermId;

namespace {

/// A term of the type of an operand, of which conditions may ask only the type.
TermId sampleOf(ir::TermBank& bank, ir::TypeId type) { return bank.variable(bank.symbols().intern("?"), type); }

/// Whether the value exists, with all its elements.
bool isKnown(const Value& value) {
    return value.kind != Value::Kind::Undefined && std::ranges::all_of(value.list, isKnown);
}

bool isAbout(const AnalysisEquation& equation, ir::OpId op, std::size_t arity) {
    return equation.op == op && equation.operands.size() == arity;
}

std::vector<TermId> attributesOf(ir::TermBank& bank, TermId term) {
    std::vector<TermId> literals;
    if (bank.payload(term).kind() != ir::PayloadKind::Attributes) return literals;
    const std::string text(bank.text(bank.payload(term).asSymbol()));  // creating literals may move the bank's texts
    for (const std::string_view value : ir::attributeValues(text))
        literals.push_back(ir::attributeLiteral(bank, value));
    return literals;
}

bool isLiteral(const ir::TermBank& bank, TermId term) {
    return bank.is(term, ir::CoreOp::Literal) || (bank.childCount(term) == 0 && constantValue(bank, term).has_value());
}

using Known = absl::flat_hash_map<TermId, EquationValue>;

/// Computes the value of a term and of those below it that an equation may ask for.
const EquationValue& compute(ir::TermBank& bank, const CompiledAnalysis& analysis, TermId term, Known& known) {
    const auto asks = [&](TermId id) {
        return std::ranges::any_of(analysis.operators, [&](const AnalysisEquation& equation) {
            return isAbout(equation, bank.op(id), bank.childCount(id));
        });
    };
    std::vector<TermId> open{term};
    while (!open.empty()) {
        const TermId at = open.back();
        if (known.contains(at)) {
            open.pop_back();
            continue;
        }
        if (isLiteral(bank, at)) {
            known[at] = literalValue(bank, analysis, valueOfLiteral(bank, at));
            continue;
        }
        if (!asks(at)) {
            known[at] = {};
            continue;
        }
        const std::size_t before = open.size();
        for (const TermId child : bank.children(at)) {
            if (!known.contains(child)) open.push_back(child);
        }
        if (open.size() != before) continue;
        std::vector<Value> operands;
        std::vector<ir::TypeId> types;
        for (const TermId child : bank.children(at)) {
            operands.push_back(known.at(child).value);
            types.push_back(bank.type(child));
        }
        EquationValue made = operatorValue(bank, analysis, bank.op(at), operands, types, attributesOf(bank, at));
        known[at] = std::move(made);
    }
    return known.at(term);
}

}  // namespace

Value valueOf(ir::TermBank& bank, const AnalysisEquation& equation, std::vector<Value> operands,
              std::span<const ir::TypeId> types, std::span<const TermId> attributes) {
    std::vector<Binding> bindings(equation.scope.valueCount);
    std::vector<Value> values(equation.scope.valueCount);
    for (std::size_t i = 0; i < equation.operands.size(); ++i) {
        if (i < types.size()) bindings[equation.operands[i]].term = sampleOf(bank, types[i]);
        values[equation.operands[i]] = std::move(operands[i]);
    }
    for (std::size_t i = 0; i < std::min(attributes.size(), equation.attributes.size()); ++i) {
        if (equation.attributes[i] != NoVar) bindings[equation.attributes[i]].term = attributes[i];
    }
    const ConditionInput input{bank, equation.scope, bindings, equation.scope.table, {}, {}, &values};
    if (!holds(input, equation.scope.guard)) return {};
    Value value = valueOf(input, equation.value);
    return isKnown(value) ? value : Value();
}

EquationValue operatorValue(ir::TermBank& bank, const CompiledAnalysis& analysis, ir::OpId op,
                            const std::vector<Value>& operands, std::span<const ir::TypeId> types,
                            std::span<const TermId> attributes) {
    for (const AnalysisEquation& equation : analysis.operators) {
        if (!isAbout(equation, op, operands.size())) continue;
        Value value = valueOf(bank, equation, operands, types, attributes);
        if (value.kind != Value::Kind::Undefined) return {std::move(value), &equation};
    }
    return {};
}

EquationValue literalValue(ir::TermBank& bank, const CompiledAnalysis& analysis, const Value& literal) {
    for (const AnalysisEquation& equation : analysis.literals) {
        Value value = valueOf(bank, equation, {literal});
        if (value.kind != Value::Kind::Undefined) return {std::move(value), &equation};
    }
    return {};
}

Value joined(ir::TermBank& bank, const CompiledAnalysis& analysis, const Value& a, const Value& b) {
    if (areSame(a, b, bank.types())) return a;
    for (const AnalysisEquation& equation : analysis.joins) {
        Value value = valueOf(bank, equation, {a, b});
        if (value.kind != Value::Kind::Undefined) return value;
    }
    return {};
}

bool areSame(const Value& a, const Value& b, const ir::TypeTable& types) {
    if (a.kind != b.kind) return false;
    if (a.kind == Value::Kind::Undefined) return true;
    if (a.kind == Value::Kind::Float && std::isnan(a.number)) return std::isnan(b.number);
    return equality(a, b, ConditionKind::Equal, types).isTrue();
}

std::string text(const Value& value) {
    switch (value.kind) {
        case Value::Kind::Undefined: return "nothing";
        case Value::Kind::Bool: return value.integer == 1 ? "true" : "false";
        case Value::Kind::Integer: return fmt::format("{}", value.integer);
        case Value::Kind::Float: return fmt::format("{}", value.number);
        case Value::Kind::Word:
        case Value::Kind::Size: return std::string(value.word);
        case Value::Kind::Type: return "a type";
        case Value::Kind::List: break;
    }
    std::string list;
    for (const Value& each : value.list) list += (list.empty() ? "" : ", ") + text(each);
    return "[" + list + "]";
}

bool admits(ir::TermBank& bank, const CompiledAnalysis& analysis, const Value& literal, const Value& value) {
    if (!analysis.means) return areSame(literal, value, bank.types());
    return valueOf(bank, *analysis.means, {literal, value}).isTrue();
}

Value analysisValue(ir::TermBank& bank, const CompiledAnalysis& analysis, TermId term) {
    Known known;
    return compute(bank, analysis, term, known).value;
}

struct TermAnalysis::State {
    ir::TermBank& bank;
    std::shared_ptr<const CompiledAnalysis> analysis;
    Known known = {};

    const EquationValue& of(TermId term) { return compute(bank, *analysis, term, known); }
};

TermAnalysis::TermAnalysis(ir::TermBank& bank, std::shared_ptr<const CompiledAnalysis> analysis)
    : m_state(std::make_unique<State>(State{bank, std::move(analysis)})) {}
TermAnalysis::TermAnalysis(TermAnalysis&&) noexcept = default;
TermAnalysis::~TermAnalysis() = default;

ir::TermBank& TermAnalysis::bank() const { return m_state->bank; }

bool TermAnalysis::knows(TermId term) { return m_state->of(term).value.kind != Value::Kind::Undefined; }

bool TermAnalysis::asks(ir::OpId op) const {
    return op == ir::opId(ir::CoreOp::Literal) || op == constantOperator(m_state->bank.registry()) ||
           std::ranges::find(m_state->analysis->operators, op, &AnalysisEquation::op) !=
               m_state->analysis->operators.end();
}

bool TermAnalysis::wouldKnow(ir::OpId op, std::span<const TermId> attributes, std::span<const TermId> terms,
                             std::span<const ir::TypeId> types) {
    std::vector<Value> operands;
    for (const TermId term : terms) operands.push_back(term.isValid() ? m_state->of(term).value : Value());
    return operatorValue(m_state->bank, *m_state->analysis, op, operands, types, attributes).equation != nullptr;
}

TermAnalysis::Joined TermAnalysis::join(TermId first, TermId second) {
    const ir::TypeTable& types = m_state->bank.types();
    const Value a = m_state->of(first).value;
    const Value b = m_state->of(second).value;
    if (areSame(a, b, types)) return Joined::Same;
    const Value both = joined(m_state->bank, *m_state->analysis, a, b);
    if (both.kind == Value::Kind::Undefined) return Joined::Contradiction;
    if (areSame(both, a, types)) return Joined::First;
    return areSame(both, b, types) ? Joined::Second : Joined::Apart;
}

bool TermAnalysis::admits(TermId term, TermId literal) {
    return rules::admits(m_state->bank, *m_state->analysis, valueOfLiteral(m_state->bank, literal),
                         m_state->of(term).value);
}

std::string TermAnalysis::text(TermId term) { return rules::text(m_state->of(term).value); }

const AnalysisEquation* TermAnalysis::equationOf(TermId term) { return m_state->of(term).equation; }

}  // namespace mitos::rules
