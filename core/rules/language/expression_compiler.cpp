// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles patterns and right sides to nodes.
#include "core/rules/language/expression_compiler.h"

#include "core/rules/language/array_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace mitos::rules {

using syntax::Expr;
using syntax::ExprKind;

void ExpressionCompiler::setParameters(const NamedPattern& pattern, std::vector<LocalVariable> declared) {
    m_parameters = pattern.parameters;
    m_functionParameters = pattern.isFunction;
    locals = std::move(declared);
    localOccurs.resize(locals.size(), false);
    m_inPattern = true;
}

VarIndex ExpressionCompiler::find(std::string_view name) const {
    const auto found = m_byName.find(name);
    return found == m_byName.end() ? NoVar : found->second;
}

VarIndex ExpressionCompiler::addVariable(std::string name, VarKind kind) {
    const auto index = static_cast<VarIndex>(variables.size());
    m_byName.emplace(name, index);
    variables.push_back({std::move(name), kind, {}});
    return index;
}

int ExpressionCompiler::parameter(std::string_view name) const {
    const auto found = std::ranges::find(m_parameters, name);
    return found == m_parameters.end() ? -1 : static_cast<int>(found - m_parameters.begin());
}

int ExpressionCompiler::local(std::string_view name) const {
    const auto found = std::ranges::find(locals, name, &LocalVariable::name);
    return found == locals.end() ? -1 : static_cast<int>(found - locals.begin());
}

std::optional<std::pair<Owner, VarIndex>> ExpressionCompiler::lookUp(std::string_view name) const {
    if (const int index = parameter(name); index >= 0) return std::pair(Owner::Parameter, static_cast<VarIndex>(index));
    if (const int index = local(name); index >= 0) return std::pair(Owner::Local, static_cast<VarIndex>(index));
    const VarIndex var = find(name);
    return var == NoVar ? std::nullopt : std::optional(std::pair(Owner::Rule, var));
}

void ExpressionCompiler::noteLocal(std::size_t at) {
    if (!localOccurs[at]) locals[at].context = {m_scope.begin(), m_scope.end()};
    std::erase_if(locals[at].context,
                  [&](VarIndex entry) { return std::ranges::find(m_scope, entry) == m_scope.end(); });
    localOccurs[at] = true;
}

std::uint32_t ExpressionCompiler::localName(const Expr& expr, int index) {
    if (locals[static_cast<std::size_t>(index)].isFunction) {
        return m_context.error(expr.nameSpan,
                               fmt::format("{} is a function variable elsewhere in this pattern", expr.name),
                               "use two names");
    }
    noteLocal(static_cast<std::size_t>(index));
    return node({.kind = NodeKind::Local, .index = static_cast<std::uint32_t>(index), .span = expr.span});
}

bool ExpressionCompiler::isFunctionName(std::string_view name) const {
    return !name.empty() && name[0] >= 'A' && name[0] <= 'Z' &&
           std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void ExpressionCompiler::noteOccurrence(VarIndex var, SourceSpan span, Side side) {
    occurrences.push_back({var, m_scope, span, side});
}

std::uint32_t ExpressionCompiler::node(Node node, const std::vector<std::uint32_t>& children) {
    if (std::ranges::find(children, NoNode) != children.end()) return NoNode;
    node.firstChild = static_cast<std::uint32_t>(table.children.size());
    node.childCount = static_cast<std::uint32_t>(children.size());
    table.children.insert(table.children.end(), children.begin(), children.end());
    table.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(table.nodes.size() - 1);
}

std::vector<std::uint32_t> ExpressionCompiler::all(const std::vector<Expr>& exprs, Side side) {
    std::vector<std::uint32_t> result;
    for (const Expr& expr : exprs) {
        if (expr.kind == ExprKind::Sequence) {
            const VarIndex var = variable(expr, expr.name, VarKind::Sequence, side);
            result.push_back(var == NoVar ? NoNode : node({.kind = NodeKind::Sequence, .var = var, .span = expr.span}));
        } else if (expr.kind == ExprKind::Expand) {
            result.push_back(expand(expr, side));
        } else {
            result.push_back(compile(expr, side));
        }
    }
    return result;
}

std::uint32_t ExpressionCompiler::compile(const Expr& expr, Side side) {
    switch (expr.kind) {
        case ExprKind::Name: return name(expr, side);
        case ExprKind::Number: return number(expr, side, numberOperator());
        case ExprKind::Text: return node({.kind = NodeKind::Text, .name = expr.name, .span = expr.span});
        case ExprKind::Boolean:
            return node({.kind = NodeKind::Literal, .payload = ir::Payload::boolean(expr.boolean), .span = expr.span});
        case ExprKind::Call: return call(expr, side);
        case ExprKind::Tuple:
            return node({.kind = NodeKind::Apply, .op = ir::opId(ir::CoreOp::Tuple), .span = expr.span},
                        all(expr.children, side));
        case ExprKind::Projection: {
            Expr index;
            index.kind = ExprKind::Number;
            index.isInteger = true;
            index.integer = expr.integer;
            return projection(expr, expr.children[0], index, side);
        }
        case ExprKind::Lambda:
        case ExprKind::Let: return binder(expr, side);
        case ExprKind::Substitute: return substitute(expr, side);
        case ExprKind::List:
            return m_context.error(expr.span, "a list can only be the value of an attribute", "op[axes=[0, 1]](x)");
        case ExprKind::Sequence:
        case ExprKind::Expand:
            return m_context.error(expr.span, "a sequence can only be an argument", "for instance tuple(a..., b)");
        default:
            return m_context.error(expr.span, "a condition cannot be part of a term",
                                   "conditions follow `where` or `if`");
    }
}

VarIndex ExpressionCompiler::variable(const Expr& expr, std::string_view name, VarKind kind, Side side) {
    const auto kindName = [](VarKind k) {
        switch (k) {
            case VarKind::Term: return "a term";
            case VarKind::Function: return "a function variable";
            case VarKind::Sequence: return "a sequence";
            case VarKind::Binder: return "a bound variable";
            default: return "an attribute's value";
        }
    };
    if (m_inPattern) {
        m_context.error(expr.nameSpan, fmt::format("{} is not a parameter of this pattern", name),
                        "add it to the parameters, or declare it: with local " + std::string(name));
        return NoVar;
    }
    VarIndex index = find(name);
    if (index == NoVar) {
        if (side == Side::Right || m_leftClosed) {
            m_context.error(expr.nameSpan,
                            fmt::format("{} is not bound: it does not occur on the side that is matched", name),
                            "every variable of the result must occur in the pattern");
            return NoVar;
        }
        index = addVariable(std::string(name), kind);
    } else if (variables[index].kind == VarKind::Binder && kind == VarKind::Term) {
        m_context.error(expr.nameSpan, fmt::format("the bound variable {} is used outside its scope", name),
                        fmt::format("it is bound inside \\{}. … or let {} = … in …", name, name));
        return NoVar;
    } else if (variables[index].kind != kind) {
        m_context.error(
            expr.nameSpan,
            fmt::format("{} is {} here and {} elsewhere", name, kindName(kind), kindName(variables[index].kind)),
            "use two names");
        return NoVar;
    }
    noteOccurrence(index, expr.nameSpan, side);
    return index;
}

std::uint32_t ExpressionCompiler::name(const Expr& expr, Side side) {
    for (auto it = m_scopeNames.rbegin(); it != m_scopeNames.rend(); ++it) {
        if (it->first == expr.name) return node({.kind = NodeKind::Bound, .var = it->second, .span = expr.span});
    }
    if (const int index = parameter(expr.name); index >= 0) {
        if (m_functionParameters[static_cast<std::size_t>(index)]) {
            return m_context.error(expr.nameSpan,
                                   fmt::format("{} is a function variable elsewhere in this pattern", expr.name),
                                   "use two names");
        }
        return node({.kind = NodeKind::Parameter, .index = static_cast<std::uint32_t>(index), .span = expr.span});
    }
    if (const int index = local(expr.name); index >= 0) return localName(expr, index);
    const VarIndex known = find(expr.name);
    const bool element = known != NoVar && variables[known].kind == VarKind::Sequence && m_expanding;
    const VarIndex var = variable(expr, expr.name, element ? VarKind::Sequence : VarKind::Term, side);
    if (var == NoVar) return NoNode;
    m_expandedSequences += element ? 1 : 0;
    return node({.kind = NodeKind::Variable, .var = var, .span = expr.span});
}

ir::OpId ExpressionCompiler::numberOperator() const {
    const ir::OpId found = constantOperator(m_context.names.registry());
    return found.isValid() && m_context.names.uses(found) ? found : ir::OpId();
}

std::uint32_t ExpressionCompiler::number(const Expr& expr, Side side, ir::OpId array) {
    if (expr.isApproximate) {
        if (side == Side::Right) {
            return m_context.error(expr.span, "~ can only be matched", "write the number without ~ on the right side");
        }
        hasChoices = true;
        return node({.kind = NodeKind::Approx, .op = array, .value = expr.number, .span = expr.span});
    }
    if (!expr.isInteger && !array.isValid()) {
        return node({.kind = NodeKind::Literal, .payload = ir::Payload::floating(expr.number), .span = expr.span});
    }
    if (side == Side::Left) hasChoices = true;
    Node result{.kind = NodeKind::Number, .op = array, .value = expr.number, .span = expr.span};
    result.payload = expr.isInteger ? ir::Payload::integer(expr.integer) : ir::Payload::floating(expr.number);
    return node(std::move(result));
}

std::uint32_t ExpressionCompiler::call(const Expr& expr, Side side) {
    if (expr.name == "const") return constant(expr, side);
    if (expr.name == "inline" && !m_context.names.find("inline").isValid()) return inlined(expr, side);
    if (parameter(expr.name) >= 0 || local(expr.name) >= 0) return functionCall(expr, side);
    if (expr.name == "select" && !m_context.names.find("select").isValid()) {
        if (expr.children.size() == 2) {
            // The paper also prints (select i t), in which the number is the index.
            const bool swapped = expr.children[0].kind == ExprKind::Number;
            return projection(expr, expr.children[swapped ? 1 : 0], expr.children[swapped ? 0 : 1], side);
        }
        return m_context.error(expr.span, "select takes a tuple and an index", "select(t, 0), or t.0");
    }
    const auto& patterns = m_context.patterns.patterns;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (patterns[i].name == expr.name) return unfold(expr, static_cast<std::uint32_t>(i), side);
    }
    if (expr.name == "-" && expr.children.size() == 1) {
        const ir::OpId neg =
            m_context.names.find("neg").isValid() ? m_context.names.find("neg") : m_context.names.find("Neg");
        if (neg.isValid()) return operatorCall(expr, neg, side);
    }
    if (const ir::OpId op = m_context.names.find(expr.name); op.isValid()) {
        if (op == ir::opId(ir::CoreOp::Get)) {
            if (expr.attributeNames == std::vector<std::string>{"index"} && expr.children.size() == 1) {
                return projection(expr, expr.children[0], expr.attributeValues[0], side);
            }
            return m_context.error(expr.span, "get takes one tuple and the attribute index", "get[index=i](t), or t.0");
        }
        return operatorCall(expr, op, side);
    }
    if (isFunctionName(expr.name)) return functionCall(expr, side);
    std::vector<std::string> named;
    for (const NamedPattern& pattern : patterns) named.push_back(pattern.name);
    return m_context.error(expr.nameSpan, fmt::format("there is no operator {}", expr.name),
                           m_context.names.hintFor(expr.name, named));
}

std::uint32_t ExpressionCompiler::operatorCall(const Expr& expr, ir::OpId op, Side side) {
    const ir::OperatorInfo& info = m_context.names.registry().info(op);
    const auto isSequence = [](const Expr& e) { return e.kind == ExprKind::Sequence || e.kind == ExprKind::Expand; };
    const auto given =
        static_cast<std::size_t>(std::ranges::count_if(expr.children, [&](const Expr& e) { return !isSequence(e); }));
    const bool open = given < expr.children.size();
    if (given > info.maxArity || (!open && given < info.minArity)) {
        const std::string wanted = info.minArity == info.maxArity ? fmt::format("{}", info.minArity)
                                   : info.maxArity == ir::OperatorInfo::Variadic
                                       ? fmt::format("at least {}", info.minArity)
                                       : fmt::format("{} to {}", info.minArity, info.maxArity);
        return m_context.error(
            expr.span,
            fmt::format("{} takes {} argument{}, {} given", info.name, wanted, wanted == "1" ? "" : "s", given),
            info.doc);
    }
    const bool fixed = info.payload == ir::PayloadKind::None || info.payload == ir::PayloadKind::Attributes;
    if (!fixed && op != ir::opId(ir::CoreOp::Tuple)) {
        return m_context.error(
            expr.span, fmt::format("{} cannot be written in a rule: it carries more than its arguments", info.name));
    }
    Node result{.kind = NodeKind::Apply, .op = op, .span = expr.span};
    result.isDeclared = info.dialect == "user";
    result.isOfArrays = isOfArrays(info);
    std::optional<std::vector<std::uint32_t>> values = attributes(expr, info, side);
    if (!values) return NoNode;
    result.attributes = *std::move(values);
    return node(std::move(result), all(expr.children, side));
}

std::uint32_t ExpressionCompiler::projection(const Expr& expr, const Expr& tuple, const Expr& index, Side side) {
    Node result{.kind = NodeKind::Apply, .op = ir::opId(ir::CoreOp::Get), .span = expr.span};
    if (index.kind == ExprKind::Number && index.isInteger && index.integer >= 0) {
        result.index = static_cast<std::uint32_t>(index.integer);
    } else if (index.kind == ExprKind::Name && side == Side::Left) {
        result.var = variable(index, index.name, VarKind::Attribute, side);
        if (result.var == NoVar) return NoNode;
    } else {
        return m_context.error(index.span,
                               "the index of a tuple's element is a number, or a name on the side that is matched",
                               "t.0, select(t, 0), get[index=i](t)");
    }
    return node(std::move(result), {compile(tuple, side)});
}

VarIndex ExpressionCompiler::enterBinder(const Expr& expr, Side side) {
    for (const auto& [name, var] : m_scopeNames) {
        if (name != expr.name) continue;
        m_context.error(expr.nameSpan, fmt::format("{} is bound twice, one inside the other", name), "use two names");
        return NoVar;
    }
    VarIndex var = NoVar;
    if (m_inPattern) {
        if (parameter(expr.name) >= 0 || local(expr.name) >= 0) {
            m_context.error(expr.nameSpan,
                            fmt::format("{} is a variable of the pattern and cannot be bound too", expr.name),
                            "use two names");
            return NoVar;
        }
        const auto [known, isNew] = m_patternBinders.emplace(expr.name, m_nextPatternBinder);
        if (isNew) ++m_nextPatternBinder;
        var = known->second;
    } else {
        var = find(expr.name);
        if (var == NoVar) {
            var = addVariable(expr.name, VarKind::Binder);
        } else if (variables[var].kind != VarKind::Binder) {
            m_context.error(expr.nameSpan,
                            fmt::format("{} is a variable of the rule and cannot be bound too", expr.name),
                            "use two names");
            return NoVar;
        }
    }
    if (side == Side::Left && m_inPattern) hasChoices = true;
    m_scope.push_back(var);
    m_scopeNames.emplace_back(expr.name, var);
    return var;
}

std::uint32_t ExpressionCompiler::binder(const Expr& expr, Side side) {
    const bool isLet = expr.kind == ExprKind::Let;
    Node result{.kind = NodeKind::Apply, .span = expr.span};
    result.op = ir::opId(isLet ? ir::CoreOp::Let : ir::CoreOp::Lam);
    result.name = expr.name;
    std::vector<std::uint32_t> children;
    if (!expr.types.empty()) {
        std::optional<TypeSpec> annotated = type(expr.types.front());
        if (!annotated) return NoNode;
        result.binderType.push_back(std::move(*annotated));
    }
    if (isLet) children.push_back(compile(expr.children[0], side));
    result.binder = enterBinder(expr, side);
    if (result.binder == NoVar) return NoNode;
    children.push_back(compile(expr.children.back(), side));
    m_scope.pop_back();
    m_scopeNames.pop_back();
    return node(std::move(result), children);
}

std::uint32_t ExpressionCompiler::substitute(const Expr& expr, Side side) {
    if (side == Side::Left) {
        return m_context.error(expr.span, "a substitution e[x := …] cannot be matched",
                               "it can stand on a right side; a rule with it goes one way only (=>)");
    }
    const std::uint32_t value = compile(expr.children[1], side);
    const VarIndex var = enterBinder(expr, side);
    if (var == NoVar) return NoNode;
    const std::uint32_t body = compile(expr.children[0], side);
    m_scope.pop_back();
    m_scopeNames.pop_back();
    return node({.kind = NodeKind::Substitute, .binder = var, .span = expr.span}, {body, value});
}

std::uint32_t ExpressionCompiler::compileRight(const Expr& root, const std::vector<syntax::NamedExpr>& lets) {
    std::vector<std::pair<VarIndex, std::uint32_t>> values;
    bool failed = false;
    for (const syntax::NamedExpr& let : lets) {
        const std::uint32_t value = compile(let.value, Side::Right);
        Expr named;
        named.name = let.name.text;
        named.nameSpan = let.name.span;
        const VarIndex var = enterBinder(named, Side::Right);
        failed = failed || var == NoVar;
        if (var != NoVar) values.emplace_back(var, value);
    }
    std::uint32_t result = compile(root, Side::Right);
    for (auto it = values.rbegin(); it != values.rend(); ++it) {
        m_scope.pop_back();
        m_scopeNames.pop_back();
        result = node({.kind = NodeKind::Substitute, .binder = it->first, .span = root.span}, {result, it->second});
    }
    return failed ? NoNode : result;
}

std::uint32_t ExpressionCompiler::expand(const Expr& expr, Side side) {
    if (side == Side::Left) {
        return m_context.error(expr.span,
                               "only a sequence variable can be matched, not an expression for each of its elements",
                               "write a... on the side that is matched");
    }
    if (m_expanding) return m_context.error(expr.span, "an expansion inside an expansion has no meaning");
    m_expanding = true;
    m_expandedSequences = 0;
    const std::uint32_t child = compile(expr.children[0], side);
    m_expanding = false;
    if (child != NoNode && m_expandedSequences == 0) {
        return m_context.error(expr.span, "there is no sequence to expand here",
                               "(a + b)... needs a sequence variable a... on the left");
    }
    return node({.kind = NodeKind::Expand, .span = expr.span}, {child});
}

std::uint32_t ExpressionCompiler::constant(const Expr& expr, Side side) {
    if (side == Side::Left) {
        return m_context.error(expr.span, "a computed constant cannot be matched",
                               "match a variable and require c.is_const after `where`");
    }
    if (expr.children.size() != 1) {
        return m_context.error(expr.span, "const takes one expression over constants", "const(c + d)");
    }
    const std::uint32_t value = compileConstant(expr.children[0]);
    if (value == NoNode) return NoNode;
    return node({.kind = NodeKind::Const, .op = numberOperator(), .index = value, .span = expr.span});
}

std::uint32_t ExpressionCompiler::inlined(const Expr& expr, Side side) {
    if (side == Side::Left) {
        return m_context.error(
            expr.span, "the body of a function cannot be matched",
            "match the call and write inline(F(a...)) on the right side; a rule with it goes one way only (=>)");
    }
    if (expr.children.size() != 1 || expr.children[0].kind != ExprKind::Call) {
        return m_context.error(expr.span, "inline takes one call", "inline(F(a...))");
    }
    return node({.kind = NodeKind::Inline, .span = expr.span}, {compile(expr.children[0], side)});
}

std::optional<TypeSpec> ExpressionCompiler::type(const Expr& expr) {
    TypeSpec result;
    if (expr.kind == ExprKind::Name) {
        if (expr.name == "Float") return result;
        if (expr.name == "Integer") result.kind = ir::TypeKind::Integer;
        if (expr.name == "Bool") result.kind = ir::TypeKind::Bool;
        if (expr.name == "String") result.kind = ir::TypeKind::String;
        if (result.kind != ir::TypeKind::Float) return result;
    }
    const bool isTensor = expr.kind == ExprKind::Call && expr.name == "Tensor" && expr.children.size() == 2 &&
                          expr.children[0].kind == ExprKind::Number && expr.children[0].integer >= 1;
    const bool isVec = expr.kind == ExprKind::Call && expr.name == "Vec" && expr.children.size() == 1;
    const bool isTuple = expr.kind == ExprKind::Call && expr.name == "Tuple";
    if (!isTensor && !isVec && !isTuple) {
        m_context.error(expr.span, "expected a type",
                        "Float, Integer, Bool, String, Vec(T), Tensor(2, T), Tuple(T, T)");
        return std::nullopt;
    }
    result.kind = isTuple ? ir::TypeKind::Tuple : ir::TypeKind::Tensor;
    if (isTensor) result.rank = static_cast<std::uint32_t>(expr.children[0].integer);
    for (std::size_t i = isTensor ? 1 : 0; i < expr.children.size(); ++i) {
        std::optional<TypeSpec> part = type(expr.children[i]);
        if (!part) return std::nullopt;
        result.children.push_back(std::move(*part));
    }
    return result;
}

}  // namespace mitos::rules
