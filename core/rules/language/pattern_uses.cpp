// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles function variables, uses of named patterns, match constraints and attributes to nodes.
#include "core/rules/language/array_operators.h"
#include "core/rules/language/expression_compiler.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::rules {

using syntax::Expr;
using syntax::ExprKind;

/// Compiles one node for each attribute of the operator, in the operator's order.
std::optional<std::vector<std::uint32_t>> ExpressionCompiler::attributes(const Expr& expr, const ir::OperatorInfo& info,
                                                                         Side side) {
    std::vector<std::uint32_t> values(info.attributes.size(), NoNode);
    for (std::size_t i = 0; i < expr.attributeNames.size(); ++i) {
        const std::string& name = expr.attributeNames[i];
        const auto known = std::ranges::find(info.attributes, name);
        if (known == info.attributes.end()) {
            m_context.error(expr.span, fmt::format("{} has no attribute {}", info.name, name),
                            info.attributes.empty()
                                ? fmt::format("{} has no attributes", info.name)
                                : fmt::format("its attributes are {}", fmt::join(info.attributes, ", ")));
            return std::nullopt;
        }
        std::uint32_t& value = values[static_cast<std::size_t>(known - info.attributes.begin())];
        if (value != NoNode) {
            m_context.error(expr.span, fmt::format("the attribute {} is given twice", name));
            return std::nullopt;
        }
        const auto number = static_cast<std::size_t>(known - info.attributes.begin());
        value = attribute(expr.attributeValues[i], isFloatAttribute(info, number), side);
        if (value == NoNode) return std::nullopt;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != NoNode) continue;
        if (!expr.restName.empty()) {
            const std::string name = restVariable(expr.restName, info.attributes[i]);
            Expr rest;
            rest.kind = ExprKind::Name;
            rest.name = name;
            rest.span = expr.restSpan;
            rest.nameSpan = expr.restSpan;
            const VarIndex var = variable(rest, name, VarKind::Term, side);
            if (var == NoVar) return std::nullopt;
            values[i] = node({.kind = NodeKind::Variable, .var = var, .span = expr.restSpan});
            continue;
        }
        if (const std::optional<std::string> usual = defaultAttribute(info, i); usual && side == Side::Right) {
            values[i] = node({.kind = NodeKind::Default, .name = *usual, .span = expr.span});
            continue;
        }
        if (side == Side::Right) {
            m_context.error(expr.span, fmt::format("the attribute {} of {} is missing", info.attributes[i], info.name),
                            fmt::format("{}[{}=1](…): a number, a name of the matched side, or a computation",
                                        info.name, info.attributes[i]));
            return std::nullopt;
        }
        hasChoices = true;
        values[i] = node({.kind = NodeKind::AnyLiteral, .span = expr.span});
    }
    return values;
}

std::uint32_t ExpressionCompiler::attribute(const Expr& value, bool isFloat, Side side) {
    switch (value.kind) {
        case ExprKind::Name: return name(value, side);
        case ExprKind::Number:
            if (value.isApproximate) return number(value, side, ir::OpId());
            return node({.kind = NodeKind::Literal,
                         .payload = value.isInteger && !isFloat ? ir::Payload::integer(value.integer)
                                                                : ir::Payload::floating(value.number),
                         .span = value.span});
        case ExprKind::List: return listAttribute(value, isFloat, side);
        case ExprKind::Text:
        case ExprKind::Boolean: return compile(value, side);
        default:
            if (side == Side::Right) {
                const std::uint32_t computed = compileConstant(value);
                if (computed == NoNode) return NoNode;
                return node({.kind = NodeKind::Const, .index = computed, .span = value.span});
            }
            return m_context.error(value.span,
                                   "an attribute is matched with a number, a string, true, false, a list or a name",
                                   "bind it, [axis=a], and state more after `where`");
    }
}

/// Compiles a list attribute, whose value is a tuple of literals (ir/attributes.h).
std::uint32_t ExpressionCompiler::listAttribute(const Expr& value, bool isFloat, Side side) {
    if (side == Side::Right) {
        const std::uint32_t computed = compileConstant(value);
        return computed == NoNode ? NoNode : node({.kind = NodeKind::Const, .index = computed, .span = value.span});
    }
    std::vector<std::uint32_t> elements;
    for (const Expr& element : value.children) {
        if (element.kind == ExprKind::List || element.kind == ExprKind::Sequence) {
            return m_context.error(element.span, "an element of a list is matched with a number or a name",
                                   "bind the list to a name and state more after `where`");
        }
        elements.push_back(attribute(element, isFloat, side));
    }
    return node({.kind = NodeKind::Apply, .op = ir::opId(ir::CoreOp::Tuple), .span = value.span}, elements);
}

bool ExpressionCompiler::nameFunction(Node& function, const Expr& expr, Side side) {
    const auto known = lookUp(expr.name);
    if (!known || known->first == Owner::Rule) {
        function.var = variable(expr, expr.name, VarKind::Function, side);
        return function.var != NoVar;
    }
    if (known->first == Owner::Local) noteLocal(known->second);
    function.owner = known->first;
    function.index = known->second;
    return true;
}

std::uint32_t ExpressionCompiler::functionCall(const Expr& expr, Side side) {
    Node result{.kind = NodeKind::Function, .span = expr.span};
    if (!nameFunction(result, expr, side)) return NoNode;
    const bool isOfRule = result.owner == Owner::Rule;
    if (isOfRule) m_scope.push_back(result.var);
    const std::vector<std::uint32_t> children = all(expr.children, side);
    if (isOfRule) m_scope.pop_back();
    return node(std::move(result), children);
}

std::uint32_t ExpressionCompiler::unfold(const Expr& expr, std::uint32_t pattern, Side side) {
    const NamedPattern& target = m_context.patterns.patterns[pattern];
    if (side == Side::Right) {
        return m_context.error(expr.nameSpan, fmt::format("the pattern {} can only be matched", target.name),
                               "write the result out");
    }
    if (!target.usable) {
        return m_context.error(expr.nameSpan, fmt::format("the pattern {} has an error", target.name),
                               "see the message about it");
    }
    if (expr.children.size() != target.parameters.size()) {
        return m_context.error(expr.span,
                               fmt::format("{} takes {} argument{}, {} given", target.name, target.parameters.size(),
                                           target.parameters.size() == 1 ? "" : "s", expr.children.size()),
                               fmt::format("{}({})", target.name, fmt::join(target.parameters, ", ")));
    }
    hasChoices = true;
    std::vector<std::uint32_t> children;
    for (std::size_t i = 0; i < expr.children.size(); ++i) {
        const Expr& argument = expr.children[i];
        if (!target.isFunction[i]) {
            children.push_back(compile(argument, side));
            continue;
        }
        if (argument.kind != ExprKind::Name) {
            return m_context.error(argument.span,
                                   fmt::format("{} is a function variable of {}", target.parameters[i], target.name),
                                   "give it the name of a function variable");
        }
        Node function{.kind = NodeKind::Function, .span = argument.span};
        if (!nameFunction(function, argument, side)) return NoNode;
        children.push_back(node(std::move(function)));
    }
    return node({.kind = NodeKind::Unfold, .index = pattern, .span = expr.span}, children);
}

std::optional<CompiledConstraint> ExpressionCompiler::compileConstraint(const syntax::Constraint& constraint) {
    Expr subject;
    subject.kind = ExprKind::Name;
    subject.name = constraint.variable.text;
    subject.span = constraint.variable.span;
    subject.nameSpan = constraint.variable.span;
    CompiledConstraint result;
    result.span = {constraint.variable.span.begin, constraint.pattern.span.end};
    // The variable's value may mention the bound variables in scope at all of its occurrences; so may the pattern.
    Scope scope;
    const int ownLocal = local(subject.name);
    if (parameter(subject.name) >= 0) {
        result.subject = name(subject, Side::Left);
    } else if (ownLocal >= 0 && localOccurs[static_cast<std::size_t>(ownLocal)]) {
        const std::vector<VarIndex>& context = locals[static_cast<std::size_t>(ownLocal)].context;
        scope.assign(context.begin(), context.end());
        m_scope = scope;
        result.subject = localName(subject, ownLocal);
    } else if (const VarIndex var = m_inPattern ? NoVar : find(subject.name); var != NoVar) {
        if (variables[var].kind != VarKind::Term) {
            m_context.error(subject.span, fmt::format("{} is not a variable for a term", subject.name),
                            "a match constraint requires the form of a term: x <= P(y)");
            return std::nullopt;
        }
        bool first = true;
        for (const Occurrence& occurrence : occurrences) {
            if (occurrence.var != var) continue;
            if (first) scope = occurrence.scope;
            first = false;
            std::erase_if(scope, [&](VarIndex entry) {
                return std::ranges::find(occurrence.scope, entry) == occurrence.scope.end();
            });
        }
        result.subject = node({.kind = NodeKind::Variable, .var = var, .span = subject.span});
    } else {
        m_context.error(subject.span,
                        fmt::format("{} is not bound where its match constraint is checked", subject.name),
                        "it must stand in the pattern, or in a match constraint before this one");
        return std::nullopt;
    }
    if (result.subject == NoNode) return std::nullopt;
    m_scope = scope;
    for (const VarIndex entry : scope) {
        if (entry < FirstPatternBinder && variables[entry].kind == VarKind::Binder) {
            m_scopeNames.emplace_back(variables[entry].name, entry);
        }
        for (const auto& [binderName, var] : m_patternBinders) {
            if (var == entry) m_scopeNames.emplace_back(binderName, entry);
        }
    }
    result.pattern = compile(constraint.pattern, Side::Left);
    m_scope.clear();
    m_scopeNames.clear();
    if (result.pattern == NoNode) return std::nullopt;
    return result;
}

}  // namespace mitos::rules
