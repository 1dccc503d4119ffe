// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/assumptions.h"

#include "core/ir/binding.h"
#include "core/rules/directed_rule.h"
#include "core/rules/matching/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace mitos::rewrite {

using ir::CoreOp;
using ir::TermId;

namespace {

struct InfixOperator {
    std::string_view name;
    std::string_view sign;
    int strength;
    bool isAssociative;
};
constexpr std::array<InfixOperator, 8> InfixOperators{{{"add", "+", 1, true},
                                                       {"sub", "-", 1, false},
                                                       {"mul", "*", 2, true},
                                                       {"div", "/", 2, false},
                                                       {"Add", "+", 1, true},
                                                       {"Sub", "-", 1, false},
                                                       {"Mul", "*", 2, true},
                                                       {"Div", "/", 2, false}}};
constexpr int AtomStrength = 4;
constexpr std::size_t LongestInfix = 200;
constexpr int DeepestInfix = 40;

class InfixPrinter {
public:
    InfixPrinter(const ir::TermBank& bank, std::vector<std::string> names) : m_bank(bank), m_names(std::move(names)) {}

    std::string print(TermId term) {
        write(term, 0, 0);
        return std::move(m_text);
    }

private:
    void write(TermId term, int strength, int depth) {
        if (m_text.size() > LongestInfix || depth > DeepestInfix) {
            if (!m_text.ends_with("…")) m_text += "…";
            return;
        }
        const ir::Payload& payload = m_bank.payload(term);
        if (m_bank.is(term, CoreOp::Variable)) {
            m_text += m_bank.text(payload.asSymbol());
        } else if (m_bank.is(term, CoreOp::Bound)) {
            const std::uint32_t index = payload.asIndex();
            m_text += index < m_names.size() ? m_names[m_names.size() - 1 - index] : "_";
        } else if (m_bank.is(term, CoreOp::Literal) && payload.kind() == ir::PayloadKind::Float) {
            number(fmt::format("{}", payload.asFloat()), strength);
        } else if (m_bank.is(term, CoreOp::Literal) && payload.kind() == ir::PayloadKind::Integer) {
            number(fmt::format("{}", payload.asInteger()), strength);
        } else if (m_bank.is(term, CoreOp::Literal) && payload.kind() == ir::PayloadKind::Bool) {
            m_text += payload.asBool() ? "true" : "false";
        } else {
            operation(term, strength, depth);
        }
    }

    /// Appends a number; a negative one behind an operator is put in parentheses.
    void number(const std::string& text, int strength) {
        m_text += text.starts_with('-') && strength > 0 ? "(" + text + ")" : text;
    }

    void operation(TermId term, int strength, int depth) {
        const std::string_view op = m_bank.opName(term);
        const auto* const infix = std::ranges::find(InfixOperators, op, &InfixOperator::name);
        if (infix != InfixOperators.end() && m_bank.childCount(term) == 2) {
            const bool isEnclosed = infix->strength < strength;
            if (isEnclosed) m_text += "(";
            write(m_bank.child(term, 0), infix->strength, depth + 1);
            m_text += fmt::format(" {} ", infix->sign);
            write(m_bank.child(term, 1), infix->strength + (infix->isAssociative ? 0 : 1), depth + 1);
            if (isEnclosed) m_text += ")";
            return;
        }
        if ((op == "neg" || op == "Neg") && m_bank.childCount(term) == 1) {
            m_text += "-";
            write(m_bank.child(term, 0), AtomStrength, depth + 1);
            return;
        }
        m_text +=
            m_bank.is(term, CoreOp::Call) ? m_bank.function(m_bank.payload(term).asFunction()).name : std::string(op);
        m_text += "(";
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
            if (i > 0) m_text += ", ";
            const bool binds = m_bank.boundIn(term, i) > 0;
            if (binds) {
                const Symbol hint = m_bank.hint(term);
                m_names.emplace_back(hint.isValid() ? m_bank.text(hint) : std::string_view("_"));
                m_text += m_names.back() + ": ";
            }
            write(m_bank.child(term, i), 0, depth + 1);
            if (binds) m_names.pop_back();
        }
        m_text += ")";
    }

    const ir::TermBank& m_bank;
    std::vector<std::string> m_names;
    std::string m_text;
};

/// The names of the variables bound around a position, outermost first.
std::vector<std::string> namesAt(const ir::TermBank& bank, TermId root, const ir::Path& position) {
    std::vector<std::string> names;
    for (const TermId binder : ir::bindersAbove(bank, root, position)) {
        const Symbol hint = bank.hint(binder);
        names.emplace_back(hint.isValid() ? bank.text(hint) : std::string_view("_"));
    }
    return names;
}

/// The assumptions of the condition of the step's rule and of that of the branch taken.
std::vector<rules::Assumption> conditionsAssumed(ir::TermBank& bank, const Step& step) {
    const rules::CompiledRule* const rule = rules::compiledOf(*step.rule);
    if (rule == nullptr || !rule->allowsAssumptions) return {};
    const rules::ConditionInput input{bank, *rule, step.substitution.values, rule->table};
    std::vector<rules::Assumption> result = rules::assumptions(input, rule->guard);
    for (const rules::CompiledBranch& branch : rule->branches) {
        if (!rules::holds(input, branch.condition)) continue;
        const std::vector<rules::Assumption> own = rules::assumptions(input, branch.condition);
        result.insert(result.end(), own.begin(), own.end());
        break;
    }
    return result;
}

/// The assumptions of one step; the caller sets the step's number.
std::vector<Assumption> assumedBy(ir::TermBank& bank, TermId before, const Step& step) {
    std::vector<Assumption> result;
    const std::vector<rules::Assumption> conditions = conditionsAssumed(bank, step);
    if (conditions.empty()) return result;
    const std::vector<std::string> names = namesAt(bank, before, step.positions.front());
    for (const rules::Assumption& assumed : conditions) {
        result.push_back({0, step.name(), assumed.term, std::string(assumed.relation),
                          fmt::format("{} {}", infixText(bank, assumed.term, names), assumed.relation)});
    }
    return result;
}

}  // namespace

std::string infixText(const ir::TermBank& bank, TermId term, const std::vector<std::string>& names) {
    return InfixPrinter(bank, names).print(term);
}

std::vector<std::string> assumptionTexts(ir::TermBank& bank, TermId before, const Step& step) {
    std::vector<std::string> texts;
    for (const Assumption& assumed : assumedBy(bank, before, step)) texts.push_back(assumed.text);
    return texts;
}

std::vector<Assumption> assumptionsOf(ir::TermBank& bank, const Thread& thread) {
    std::vector<Assumption> result;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        const TermId before = i == 0 ? thread.start.root : thread.states[i - 1];
        for (Assumption& assumed : assumedBy(bank, before, thread.steps[i])) {
            if (std::ranges::find(result, assumed.text, &Assumption::text) != result.end()) continue;
            assumed.step = i + 1;
            result.push_back(std::move(assumed));
        }
    }
    return result;
}

std::vector<eval::AssumedSign> signsOf(const ir::TermBank& bank, const std::vector<Assumption>& assumptions) {
    std::vector<eval::AssumedSign> signs;
    for (const Assumption& assumption : assumptions) {
        if (bank.looseBound(assumption.term) == 0) signs.push_back({assumption.term, assumption.relation});
    }
    return signs;
}

}  // namespace mitos::rewrite
