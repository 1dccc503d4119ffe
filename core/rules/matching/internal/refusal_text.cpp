// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/matching/internal/refusal_text.h"

#include "core/ir/binding.h"
#include "core/ir/reading_form.h"
#include "core/rules/language/names.h"
#include "core/rules/matching/conditions.h"
#include "core/rules/matching/internal/excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mitos::rules {

using ir::CoreOp;
using ir::TermId;

namespace {

constexpr std::size_t LongestValue = 90;

std::string_view nounOf(std::string_view sign) {
    if (sign == "+") return "sum";
    if (sign == "-") return "difference";
    if (sign == "*") return "product";
    return sign == "/" ? "quotient" : "";
}

std::string counted(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Adds the variables of the rule that a condition mentions, each once, and whether it asks for the type of one.
void collect(const NodeTable& table, std::uint32_t condition, std::vector<VarIndex>& variables, bool& asksForType) {
    const ConditionNode& node = table.conditions[condition];
    if (node.var != NoVar && node.owner == Owner::Rule && std::ranges::find(variables, node.var) == variables.end()) {
        variables.push_back(node.var);
    }
    const bool isOfType = node.attribute == Attribute::Type || node.attribute == Attribute::Dtype ||
                          node.attribute == Attribute::Rank || node.attribute == Attribute::IsScalar;
    asksForType = asksForType || (node.kind == ConditionKind::Attribute && isOfType);
    switch (node.kind) {
        case ConditionKind::And:
        case ConditionKind::Or:
        case ConditionKind::Equal:
        case ConditionKind::NotEqual:
        case ConditionKind::Less:
        case ConditionKind::LessEqual:
        case ConditionKind::Greater:
        case ConditionKind::GreaterEqual:
        case ConditionKind::Add:
        case ConditionKind::Subtract:
        case ConditionKind::Multiply:
        case ConditionKind::Divide:
        case ConditionKind::Remainder:
        case ConditionKind::Element:
            collect(table, node.left, variables, asksForType);
            collect(table, node.right, variables, asksForType);
            break;
        case ConditionKind::Not:
        case ConditionKind::Negate:
        case ConditionKind::Apply:
        case ConditionKind::Slice: collect(table, node.left, variables, asksForType); break;
        default: break;
    }
    for (const std::uint32_t element : node.elements) collect(table, element, variables, asksForType);
}

class RefusalWriter {
public:
    RefusalWriter(ir::TermBank& bank, const CompiledRule& rule, TermId subject, const Machine::Report& report,
                  const RefusalPrinters& print)
        : m_bank(bank),
          m_rule(rule),
          m_subject(subject),
          m_report(report),
          m_action(report.action),
          m_state(report.refused),
          m_print(print) {}

    [[nodiscard]] std::string text() const {
        switch (m_report.transition) {
            case Transition::MatchFunConflict: return operatorText();
            case Transition::MatchNumberConflict: return needs("the number " + pattern());
            case Transition::MatchFunVarConflict: return functionText();
            case Transition::MatchVarConflict: return repeatedText();
            case Transition::MatchAttributeConflict:
                return fmt::format("the index `{}` must be the same in all places: first {}, then {}", name(),
                                   indexOf(m_state.values.values[m_action.pattern.node->var].term), m_action.index);
            case Transition::MatchSeqConflict: return sequenceText();
            case Transition::MatchVarEscape:
            case Transition::MatchSeqEscape: return escapeText();
            case Transition::MatchBoundConflict: return needs(fmt::format("the bound variable `{}`", pattern()));
            case Transition::MatchBinderConflict:
                return fmt::format("the variable `{}` has another type here: {}", m_action.pattern.node->name,
                                   m_bank.types().toShortString(m_bank.boundType(found())));
            case Transition::CheckGuardBacktrack: return conditionText();
            case Transition::CheckNameUnbound:
                return fmt::format("its local variable `{}` stands for nothing here", localName());
            case Transition::MatchConstrUnbound: return "a variable that it looks into stands for nothing here";
            default: return m_report.detail;
        }
    }

private:
    [[nodiscard]] TermId found() const { return ProgramView(m_bank).value(m_action.place); }

    [[nodiscard]] std::string quoted(const ir::Path& path, TermId term) const {
        // An attribute is no place of the program; its path is that of the operator.
        const bool isPlace = ir::subterm(m_bank, m_subject, path) == term;
        return fmt::format("`{}`", shortened(isPlace ? m_print.atPlace(path, term) : m_print.term(term), LongestValue));
    }

    [[nodiscard]] std::string source(SourceSpan span) const {
        const SourceText& text = m_action.pattern.frame == nullptr ? *m_rule.source : *m_rule.patterns->source;
        return shortened(
            std::string(ir::withoutParentheses(oneLine(text.text().substr(span.begin, span.end - span.begin)))),
            LongestValue);
    }

    /// The node of the pattern that refused.
    [[nodiscard]] const Node& node() const {
        if (m_action.pattern.node != nullptr) return *m_action.pattern.node;
        const Frame* frame = m_action.pattern.frame;
        return frame == nullptr ? m_rule.table.nodes[m_rule.left]
                                : frame->alternate->table.nodes[frame->alternate->root];
    }
    [[nodiscard]] std::string pattern() const { return source(node().span); }

    /// The name of the variable that refused, as the rule has it.
    [[nodiscard]] std::string name() const {
        if (m_action.kind == MachineAction::Kind::MatchAttribute) return m_rule.variables[node().var].name;
        std::string text = pattern();
        if (text.ends_with("...")) text.resize(text.size() - 3);
        return text;
    }

    [[nodiscard]] std::string localName() const {
        const Frame* frame = m_action.pattern.frame;
        return frame == nullptr ? m_rule.variables[m_action.index].name : frame->alternate->locals[m_action.index].name;
    }

    [[nodiscard]] std::string indexOf(TermId literal) const {
        return literal.isValid() ? std::to_string(m_bank.payload(literal).asInteger()) : "another";
    }

    /// " at the left of the sum"; empty for the subject itself.
    [[nodiscard]] std::string where(const ir::Path& path) const {
        if (path.empty()) return {};
        const auto parent = ir::subterm(m_bank, m_subject, ir::Path(path.begin(), path.end() - 1));
        if (!parent) return {};
        const std::uint32_t at = path.back();
        if (m_bank.is(*parent, CoreOp::Let))
            return at == 0 ? " as the value of the `let`" : " in the body of the `let`";
        if (m_bank.is(*parent, CoreOp::Lam)) return " in the body of the function";
        const std::string_view op = m_bank.opName(*parent);
        if (const std::string_view noun = nounOf(infixSign(op)); !noun.empty()) {
            return fmt::format(" at the {} of the {}", at == 0 ? "left" : "right", noun);
        }
        if (m_bank.childCount(*parent) == 1) return fmt::format(" inside `{}`", op);
        return fmt::format(" as argument {} of `{}`", at + 1, op);
    }

    [[nodiscard]] std::string needs(const std::string& what) const {
        return fmt::format("it needs {}{}, but there is {}", what, where(m_action.path),
                           quoted(m_action.path, found()));
    }

    [[nodiscard]] std::string operatorText() const {
        const Node& wanted = node();
        if (wanted.kind != NodeKind::Apply) return needs(fmt::format("`{}`", pattern()));
        const std::string_view op = m_bank.registry().info(wanted.op).name;
        const TermId here = found();
        if (hasOperator(m_bank, here, wanted)) {
            if (wanted.op == ir::opId(CoreOp::Get)) {
                return fmt::format("it needs element {} of the tuple{}, but there is element {}", wanted.index,
                                   where(m_action.path), m_bank.payload(here).projectionIndex());
            }
            const auto fixed = static_cast<std::size_t>(
                std::count_if(m_action.pattern.table->children.begin() + wanted.firstChild,
                              m_action.pattern.table->children.begin() + wanted.firstChild + wanted.childCount,
                              [this](std::uint32_t child) {
                                  return m_action.pattern.table->nodes[child].kind != NodeKind::Sequence;
                              }));
            return fmt::format("it needs `{}` with {}{}{}, but there is {} with {}", op,
                               fixed < wanted.childCount ? "at least " : "", counted(fixed, "argument"),
                               where(m_action.path), quoted(m_action.path, here), m_bank.childCount(here));
        }
        const std::string_view noun = nounOf(infixSign(op));
        return needs(noun.empty() ? fmt::format("`{}`", pattern()) : fmt::format("the {} `{}`", noun, pattern()));
    }

    [[nodiscard]] std::string functionText() const {
        const std::string written = pattern();
        const std::string function = written.substr(0, written.find('('));
        const TermId here = found();
        const std::string there = quoted(m_action.path, here);
        if (!isApplication(m_bank, here)) {
            return fmt::format("`{}` must be an operator{}, but {} has none", function, where(m_action.path), there);
        }
        const bool isOfRule = node().owner == Owner::Rule && m_state.bound[node().var];
        const TermId known = isOfRule ? m_state.values.values[node().var].term : TermId();
        if (known.isValid() && m_bank.op(known) != m_bank.op(here)) {
            return fmt::format("the two places of `{}` must have the same operator, but first it is `{}`, then `{}`",
                               function, m_bank.opName(known), m_bank.opName(here));
        }
        return fmt::format("`{}` needs another number of arguments{} than {} has", written, where(m_action.path),
                           there);
    }

    /// A variable's value, quoted where it was found: below other binders the value itself may be another term.
    [[nodiscard]] std::string valueAt(const ir::Path& path, TermId value) const {
        return fmt::format("`{}`", shortened(m_print.atPlace(path, value), LongestValue));
    }

    /// The place where the variable got its value, and that value.
    [[nodiscard]] std::optional<std::pair<ir::Path, TermId>> known() const {
        if (node().kind == NodeKind::Variable && m_state.bound[node().var]) {
            return std::pair(m_state.places[node().var], m_state.values.values[node().var].term);
        }
        const std::string wanted = name();
        const auto slot = std::ranges::find(m_state.slots, wanted, &MachineSlot::name);
        if (slot == m_state.slots.end()) return std::nullopt;
        return std::pair(slot->path, slot->term);
    }

    [[nodiscard]] std::string repeatedText() const {
        const auto first = known();
        const std::string here = quoted(m_action.path, found());
        if (!first) return fmt::format("`{}` stands for something else than {} already", name(), here);
        const auto& [path, term] = *first;
        const auto isSide = [this](const ir::Path& place) {
            return place.size() == 1 && !nounOf(infixSign(m_bank.opName(m_subject))).empty();
        };
        const bool areSides = isSide(path) && isSide(m_action.path) && path != m_action.path;
        const auto word = [&](const ir::Path& place, const char* otherwise) {
            if (!areSides) return otherwise;
            return place.back() == 0 ? "left" : "right";
        };
        return fmt::format("the two places of `{}` must be equal: {} is {}, {} is {}", name(), word(path, "the first"),
                           valueAt(path, term), word(m_action.path, "the second"), here);
    }

    [[nodiscard]] std::string sequenceText() const {
        const auto list = [this](const auto& terms) {
            std::string text;
            for (const TermId term : terms) text += (text.empty() ? "" : ", ") + m_print.term(term);
            return text.empty() ? std::string("none") : fmt::format("`{}`", shortened(std::move(text), LongestValue));
        };
        std::vector<TermId> here;
        for (std::uint32_t i = m_action.index; i < m_action.end; ++i) here.push_back(m_bank.child(found(), i));
        return fmt::format(
            "the two places of `{}...` must have the same arguments: the first has {}, the second has {}", name(),
            list(m_state.values.values[node().var].sequence), list(here));
    }

    /// The name of a variable that the found term mentions and that the pattern's variable must not mention.
    [[nodiscard]] std::string escaping() const {
        Surroundings allowed;
        if (node().kind == NodeKind::Variable || node().kind == NodeKind::Sequence) {
            allowed = contextOf(m_bank, m_rule, m_state.values.values, node().var);
        }
        const Surroundings& scope = m_action.scope;
        for (std::uint32_t index = 0; index < scope.size(); ++index) {
            const BinderKey& key = scope[scope.size() - 1 - index];
            if (std::ranges::find(allowed, key) != allowed.end() && key.var != NoVar) continue;
            if (!ir::mentions(m_bank, found(), index) || key.frame != 0 || key.var == NoVar) continue;
            const TermId variable = m_state.values.values[key.var].term;
            if (m_bank.is(variable, CoreOp::Variable))
                return std::string(m_bank.text(m_bank.payload(variable).asSymbol()));
        }
        return {};
    }

    [[nodiscard]] std::string escapeText() const {
        const std::string variable = escaping();
        return fmt::format("`{}` must not depend on {}, but it is {}", pattern(),
                           variable.empty() ? "a variable that is bound around it" : fmt::format("`{}`", variable),
                           quoted(m_action.path, found()));
    }

    [[nodiscard]] std::string conditionText() const {
        Frame* frame = m_action.pattern.frame;
        const NodeTable& table = frame == nullptr ? m_rule.table : frame->alternate->table;
        const std::uint32_t condition = frame == nullptr ? m_rule.guard : frame->alternate->guard;
        if (frame != nullptr) {
            return fmt::format("the condition `{}` of `{}` does not hold", source(frame->alternate->guardSpan),
                               frame->pattern->name);
        }
        const ConditionInput input{m_bank, m_rule, m_state.values.values, table};
        const std::uint32_t part = failingPart(input, condition);
        // A condition that holds under an assumption can be neither shown nor refuted.
        CompiledRule assuming = m_rule;
        assuming.allowsAssumptions = true;
        const bool isUnknown = holds({m_bank, assuming, m_state.values.values, table}, part);
        std::vector<VarIndex> variables;
        bool asksForType = false;
        collect(table, part, variables, asksForType);
        std::string values;
        for (const VarIndex variable : variables) {
            const std::string value = valueOf(variable, asksForType);
            if (!value.empty()) values += (values.empty() ? ": " : ", ") + value;
        }
        return fmt::format("its condition `{}` {}{}", source(table.conditions[part].span),
                           isUnknown ? "is not known to hold" : "does not hold", values);
    }

    [[nodiscard]] std::string valueOf(VarIndex variable, bool withType) const {
        const Variable& described = m_rule.variables[variable];
        if (variable >= m_rule.valueCount || !m_state.bound[variable]) return {};
        const Binding& value = m_state.values.values[variable];
        switch (described.kind) {
            case VarKind::Term: break;
            case VarKind::Function: return fmt::format("{} = `{}`", described.name, m_bank.opName(value.term));
            case VarKind::Attribute: return fmt::format("{} = {}", described.name, indexOf(value.term));
            case VarKind::Sequence:
                return fmt::format("{} has {}", described.name, counted(value.sequence.size(), "argument"));
            default: return {};
        }
        std::string text = fmt::format("{} = {}", described.name, valueAt(m_state.places[variable], value.term));
        if (withType) text += " of type " + m_bank.types().toShortString(m_bank.type(value.term));
        return text;
    }

    ir::TermBank& m_bank;
    const CompiledRule& m_rule;
    TermId m_subject;
    const Machine::Report& m_report;
    const MachineAction& m_action;
    const MachineState& m_state;
    const RefusalPrinters& m_print;
};

}  // namespace

std::string refusalText(ir::TermBank& bank, const CompiledRule& rule, TermId subject, const Machine::Report& report,
                        const RefusalPrinters& print) {
    return RefusalWriter(bank, rule, subject, report, print).text();
}

}  // namespace mitos::rules
