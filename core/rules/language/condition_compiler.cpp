// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles conditions to nodes.
#include "core/rules/language/expression_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::rules {

using syntax::Expr;
using syntax::ExprKind;

namespace {

struct AttributeName {
    std::string_view name;
    Attribute attribute;
};

constexpr std::array<AttributeName, 36> AttributeNames{{
    {"type", Attribute::Type},
    {"dtype", Attribute::Dtype},
    {"rank", Attribute::Rank},
    {"is_const", Attribute::IsConst},
    {"is_var", Attribute::IsVar},
    {"is_let", Attribute::IsLet},
    {"is_lambda", Attribute::IsLambda},
    {"is_tuple", Attribute::IsTuple},
    {"is_scalar", Attribute::IsScalar},
    {"has_effects", Attribute::HasEffects},
    {"is_total", Attribute::IsTotal},
    {"is_zero", Attribute::IsZero},
    {"has_one_shape", Attribute::HasOneShape},
    {"value", Attribute::Value},
    {"length", Attribute::Length},
    {"nodes", Attribute::Nodes},
    {"op", Attribute::Op},
    {"name", Attribute::Op},
    {"arity", Attribute::Arity},
    {"binds", Attribute::Binds},
    {"may_fail", Attribute::MayFail},
    {"effectful", Attribute::Effectful},
    {"commutative", Attribute::Commutative},
    {"pointwise", Attribute::Pointwise},
    {"shape", Attribute::Shape},
    {"is_static", Attribute::IsStatic},
    {"is_floating", Attribute::IsFloating},
    {"is_weight", Attribute::IsWeight},
    {"is_positive", Attribute::IsPositive},
    {"is_nonnegative", Attribute::IsNonnegative},
    {"is_nonzero", Attribute::IsNonzero},
    {"is_negative", Attribute::IsNegative},
    {"is_nonpositive", Attribute::IsNonpositive},
    {"is_constant", Attribute::IsConst},
    {"is_variable", Attribute::IsVar},
    {"size", Attribute::Nodes},
}};

constexpr std::array<std::string_view, 12> Functions{"log", "exp", "sqrt", "sin", "cos", "tanh",
                                                     "abs", "neg", "erf",  "max", "min", "to_float"};

struct ListFunctionName {
    std::string_view name;
    ListFunction function;
    std::size_t arity;  ///< 0 for any number of arguments
};
constexpr std::array<ListFunctionName, 14> ListFunctions{{{"len", ListFunction::Length, 1},
                                                          {"sum", ListFunction::Sum, 1},
                                                          {"product", ListFunction::Product, 1},
                                                          {"min", ListFunction::Least, 1},
                                                          {"max", ListFunction::Largest, 1},
                                                          {"concat", ListFunction::Concat, 0},
                                                          {"all", ListFunction::All, 2},
                                                          {"contains", ListFunction::Contains, 2},
                                                          {"position", ListFunction::Position, 2},
                                                          {"repeat", ListFunction::Repeat, 2},
                                                          {"range", ListFunction::Range, 1},
                                                          {"inverse", ListFunction::Inverse, 1},
                                                          {"sizes", ListFunction::Sizes, 2},
                                                          {"broadcast", ListFunction::Broadcast, 2}}};

struct BinaryName {
    std::string_view name;
    ConditionKind kind;
};
constexpr std::array<BinaryName, 8> BinaryNames{{{"and", ConditionKind::And},
                                                 {"or", ConditionKind::Or},
                                                 {"==", ConditionKind::Equal},
                                                 {"!=", ConditionKind::NotEqual},
                                                 {"<", ConditionKind::Less},
                                                 {"<=", ConditionKind::LessEqual},
                                                 {">", ConditionKind::Greater},
                                                 {">=", ConditionKind::GreaterEqual}}};

bool isTypeExpr(const Expr& expr) {
    static constexpr std::array<std::string_view, 7> TypeNames{"Float", "Integer", "Bool", "String",
                                                               "Vec",   "Tensor",  "Tuple"};
    return (expr.kind == ExprKind::Name || expr.kind == ExprKind::Call) &&
           std::find(TypeNames.begin(), TypeNames.end(), expr.name) != TypeNames.end();
}

bool isOfOperators(Attribute attribute) {
    switch (attribute) {
        case Attribute::Op:
        case Attribute::Arity:
        case Attribute::Binds:
        case Attribute::MayFail:
        case Attribute::Effectful:
        case Attribute::Commutative:
        case Attribute::Pointwise: return true;
        default: return false;
    }
}

std::string knownAttributes() {
    std::string result;
    for (const AttributeName& known : AttributeNames) {
        if (known.name == "is_constant") break;
        result += (result.empty() ? "" : ", ") + std::string(known.name);
    }
    return "the attributes are " + result;
}

}  // namespace

std::uint32_t ExpressionCompiler::condition(ConditionNode node) {
    if ((node.left == NoNode) || (node.right == NoNode)) return NoNode;
    table.conditions.push_back(std::move(node));
    return static_cast<std::uint32_t>(table.conditions.size() - 1);
}

std::uint32_t ExpressionCompiler::compileCondition(const Expr& expr) {
    const std::uint32_t result = conditionOf(expr);
    if (result != NoNode) table.conditions[result].span = expr.span;
    return result;
}

std::uint32_t ExpressionCompiler::conditionOf(const Expr& expr) {
    ConditionNode node;
    switch (expr.kind) {
        case ExprKind::Name: return conditionName(expr);
        case ExprKind::Number:
            node.isInteger = expr.isInteger;
            node.integer = expr.integer;
            node.number = expr.number;
            return condition(std::move(node));
        case ExprKind::Boolean:
            node.isBoolean = true;
            node.integer = expr.boolean ? 1 : 0;
            return condition(std::move(node));
        case ExprKind::Text:
            node.kind = ConditionKind::Word;
            node.text = expr.name;
            return condition(std::move(node));
        case ExprKind::Not:
            node.kind = ConditionKind::Not;
            node.left = compileCondition(expr.children[0]);
            return condition(std::move(node));
        case ExprKind::Call: return conditionCall(expr);
        case ExprKind::Binary: return expr.name == "in" || expr.name == "not in" ? membership(expr) : comparison(expr);
        case ExprKind::Class:
            if (!m_context.names.isClass(expr.name)) {
                m_context.error(expr.nameSpan, fmt::format("there is no class of operators {}", expr.name),
                                "the classes are " + m_context.names.classNames());
                return NoNode;
            }
            return memberOf(expr.children[0], m_context.names.classMembers(expr.name), false);
        case ExprKind::Member: return member(expr);
        case ExprKind::List: node.kind = ConditionKind::List; return elements(expr, 0, std::move(node));
        case ExprKind::Element:
            node.kind = ConditionKind::Element;
            node.left = compileCondition(expr.children[0]);
            node.right = compileCondition(expr.children[1]);
            return condition(std::move(node));
        case ExprKind::Slice:
            node.kind = ConditionKind::Slice;
            node.left = compileCondition(expr.children[0]);
            return elements(expr, 1, std::move(node));
        default:
            m_context.error(expr.span, "this cannot be part of a condition",
                            "conditions are made of attributes (e.type), comparisons, `x in e`, and, or, not");
            return NoNode;
    }
}

/// Adds `node` with the children of the expression from number `first` on as its elements.
std::uint32_t ExpressionCompiler::elements(const Expr& expr, std::size_t first, ConditionNode node) {
    for (std::size_t i = first; i < expr.children.size(); ++i) {
        if (expr.children[i].kind == ExprKind::Sequence) {
            m_context.error(expr.children[i].span, "a sequence is no part of a list",
                            "bind the list to a name and take a slice of it: s[2:]");
            return NoNode;
        }
        node.elements.push_back(compileCondition(expr.children[i]));
        if (node.elements.back() == NoNode) return NoNode;
    }
    return condition(std::move(node));
}

/// Compiles a call of a function of lists; nothing if the name is not one of them.
std::optional<std::uint32_t> ExpressionCompiler::listCall(const Expr& expr) {
    const auto* const found = std::find_if(ListFunctions.begin(), ListFunctions.end(),
                                           [&](const ListFunctionName& known) { return known.name == expr.name; });
    if (found == ListFunctions.end()) return std::nullopt;
    // min and max of two numbers are functions of numbers.
    const bool isOfTwo = found->function == ListFunction::Least || found->function == ListFunction::Largest;
    if (isOfTwo && expr.children.size() == 2) return std::nullopt;
    if (found->arity == 0 ? expr.children.empty() : expr.children.size() != found->arity) {
        m_context.error(expr.span, found->arity == 0 ? fmt::format("{} takes lists here", expr.name)
                                                     : fmt::format("{} takes {} argument{} here", expr.name,
                                                                   found->arity, found->arity == 1 ? "" : "s"));
        return NoNode;
    }
    ConditionNode node;
    node.kind = ConditionKind::ListCall;
    node.function = found->function;
    if (node.function != ListFunction::Sizes) return elements(expr, 0, std::move(node));
    if (!subject(expr.children[0], node)) return NoNode;
    if (!isSequenceOf(node.owner, node.var)) {
        m_context.error(expr.children[0].span, fmt::format("{} is no sequence", expr.children[0].name),
                        "sizes(a, axis) speaks of a sequence a...; one array has a shape: x.shape[axis]");
        return NoNode;
    }
    return elements(expr, 1, std::move(node));
}

std::uint32_t ExpressionCompiler::conditionCall(const Expr& expr) {
    if (const std::optional<std::uint32_t> list = listCall(expr)) return *list;
    ConditionNode node;
    if (expr.name == "+")
        node.kind = ConditionKind::Add;
    else if (expr.name == "-")
        node.kind = expr.children.size() == 1 ? ConditionKind::Negate : ConditionKind::Subtract;
    else if (expr.name == "*")
        node.kind = ConditionKind::Multiply;
    else if (expr.name == "/")
        node.kind = ConditionKind::Divide;
    else if (expr.name == "%")
        node.kind = ConditionKind::Remainder;
    else if (std::find(Functions.begin(), Functions.end(), expr.name) != Functions.end()) {
        const std::size_t arity = expr.name == "max" || expr.name == "min" ? 2 : 1;
        if (expr.children.size() != arity) {
            m_context.error(expr.span,
                            fmt::format("{} takes {} argument{} here", expr.name, arity, arity == 1 ? "" : "s"));
            return NoNode;
        }
        node.kind = ConditionKind::Apply;
        node.text = expr.name;
    } else {
        m_context.error(expr.nameSpan, fmt::format("{} cannot be computed in a condition", expr.name),
                        fmt::format("there are + - * / % and {}", fmt::join(Functions, ", ")));
        return NoNode;
    }
    node.left = compileCondition(expr.children[0]);
    if (expr.children.size() > 1) node.right = compileCondition(expr.children[1]);
    return condition(std::move(node));
}

bool ExpressionCompiler::subject(const Expr& expr, ConditionNode& node) {
    if (expr.kind != ExprKind::Name) {
        m_context.error(expr.span, "expected a variable of the rule", "attributes belong to variables: e.type");
        return false;
    }
    if (const int index = parameter(expr.name); index >= 0) {
        node.owner = Owner::Parameter;
        node.var = static_cast<VarIndex>(index);
        return true;
    }
    if (const int index = local(expr.name); index >= 0) {
        node.owner = Owner::Local;
        node.var = static_cast<VarIndex>(index);
        return true;
    }
    node.var = find(expr.name);
    if (node.var == NoVar) {
        m_context.error(expr.nameSpan,
                        fmt::format("{} is not bound: it does not occur on the side that is matched", expr.name),
                        "conditions speak of variables of that side; a word of the program stands in quotes: \"same\"");
        return false;
    }
    return true;
}

bool ExpressionCompiler::isFunctionOf(Owner owner, VarIndex index) const {
    switch (owner) {
        case Owner::Parameter: return m_functionParameters[index];
        case Owner::Local: return locals[index].isFunction;
        case Owner::Rule: break;
    }
    return variables[index].kind == VarKind::Function;
}

bool ExpressionCompiler::isSequenceOf(Owner owner, VarIndex index) const {
    return owner == Owner::Rule && variables[index].kind == VarKind::Sequence;
}

bool ExpressionCompiler::isVariable(std::string_view name) const {
    return parameter(name) >= 0 || local(name) >= 0 || find(name) != NoVar;
}

std::uint32_t ExpressionCompiler::conditionName(const Expr& expr) {
    ConditionNode node;
    node.kind = ConditionKind::Value;
    if (!subject(expr, node)) return NoNode;
    if (isSequenceOf(node.owner, node.var)) {
        m_context.error(expr.span, fmt::format("{} is a sequence: it has a length, but no value", expr.name),
                        fmt::format("{}.length", expr.name));
        return NoNode;
    }
    // F == add compares operators.
    if (isFunctionOf(node.owner, node.var)) {
        node.kind = ConditionKind::Attribute;
        node.attribute = Attribute::Op;
    }
    return condition(std::move(node));
}

/// Compiles a type, or the name of an element type such as f64.
std::uint32_t ExpressionCompiler::typeWord(const Expr& expr) {
    ConditionNode node;
    if (expr.kind == ExprKind::Name && isDtype(expr.name)) {
        node.kind = ConditionKind::Word;
        node.text = expr.name;
        return condition(std::move(node));
    }
    std::optional<TypeSpec> spec = type(expr);
    if (!spec) return NoNode;
    node.kind = ConditionKind::Type;
    node.type = std::move(*spec);
    return condition(std::move(node));
}

std::uint32_t ExpressionCompiler::operatorWord(const Expr& expr) {
    if (!m_context.names.registry().find(expr.name).isValid()) {
        m_context.error(expr.span, fmt::format("there is no operator {}", expr.name),
                        m_context.names.hintFor(expr.name));
        return NoNode;
    }
    ConditionNode node;
    node.kind = ConditionKind::Word;
    node.text = expr.name;
    return condition(std::move(node));
}

/// Whether the expression denotes an operator: a function variable, or the attribute op.
bool ExpressionCompiler::isOperator(const Expr& expr) const {
    if (expr.kind == ExprKind::Member) return expr.name == "op" || expr.name == "name";
    if (expr.kind != ExprKind::Name) return false;
    if (const int index = parameter(expr.name); index >= 0)
        return m_functionParameters[static_cast<std::size_t>(index)];
    if (const int index = local(expr.name); index >= 0) return locals[static_cast<std::size_t>(index)].isFunction;
    const VarIndex known = find(expr.name);
    return known != NoVar && variables[known].kind == VarKind::Function;
}

/// Compiles one side of == or !=. Names that are not variables denote types or operators if the other side is one.
std::uint32_t ExpressionCompiler::operand(const Expr& expr, const Expr& other) {
    const bool isWord = expr.kind == ExprKind::Name && !isVariable(expr.name);
    const bool othersType = other.kind == ExprKind::Member && (other.name == "type" || other.name == "dtype");
    if (othersType && (isWord || isTypeExpr(expr))) return typeWord(expr);
    if (isOperator(other) && (isWord || expr.kind == ExprKind::Text)) return operatorWord(expr);
    return compileCondition(expr);
}

std::uint32_t ExpressionCompiler::comparison(const Expr& expr) {
    ConditionNode node;
    for (const BinaryName& known : BinaryNames) {
        if (known.name == expr.name) node.kind = known.kind;
    }
    const bool equality = node.kind == ConditionKind::Equal || node.kind == ConditionKind::NotEqual;
    const Expr& left = expr.children[0];
    const Expr& right = expr.children[1];
    node.left = equality ? operand(left, right) : compileCondition(left);
    node.right = equality ? operand(right, left) : compileCondition(right);
    if (node.left != NoNode) table.conditions[node.left].span = left.span;
    if (node.right != NoNode) table.conditions[node.right].span = right.span;
    return condition(std::move(node));
}

std::uint32_t ExpressionCompiler::memberOf(const Expr& of, std::vector<std::string> words, bool negated) {
    ConditionNode node;
    node.kind = ConditionKind::MemberOf;
    node.words = std::move(words);
    if (!subject(of, node)) return NoNode;
    const std::uint32_t result = condition(std::move(node));
    if (!negated) return result;
    ConditionNode negation;
    negation.kind = ConditionKind::Not;
    negation.left = result;
    return condition(std::move(negation));
}

std::uint32_t ExpressionCompiler::membership(const Expr& expr) {
    const bool negated = expr.name == "not in";
    const Expr& right = expr.children[1];
    if (right.kind == ExprKind::Set) {
        std::vector<std::string> words;
        for (const Expr& word : right.children) {
            if (!m_context.names.registry().find(word.name).isValid()) {
                m_context.error(word.span, fmt::format("there is no operator {}", word.name),
                                m_context.names.hintFor(word.name));
                return NoNode;
            }
            words.push_back(word.name);
        }
        return memberOf(expr.children[0], std::move(words), negated);
    }
    if (right.kind == ExprKind::Name && m_context.names.isClass(right.name) && find(right.name) == NoVar) {
        return memberOf(expr.children[0], m_context.names.classMembers(right.name), negated);
    }
    ConditionNode node;
    node.kind = ConditionKind::Mentions;
    const Expr& left = expr.children[0];
    node.binder = left.kind == ExprKind::Name ? find(left.name) : NoVar;
    if (node.binder == NoVar || variables[node.binder].kind != VarKind::Binder) {
        m_context.error(left.span, "left of `in` stands a bound variable of the side that is matched",
                        "x in e, where x is bound by \\x. … or let x = … in …");
        return NoNode;
    }
    if (!subject(right, node)) return NoNode;
    if (isFunctionOf(node.owner, node.var)) {
        m_context.error(right.span, fmt::format("{} is a function variable and mentions nothing", right.name),
                        "x in e asks about a variable that stands for a term");
        return NoNode;
    }
    const std::uint32_t result = condition(std::move(node));
    if (!negated) return result;
    ConditionNode negation;
    negation.kind = ConditionKind::Not;
    negation.left = result;
    return condition(std::move(negation));
}

std::uint32_t ExpressionCompiler::member(const Expr& expr) {
    ConditionNode node;
    // a.pads is one of the attributes that [...a] has bound
    if (expr.children[0].kind == ExprKind::Name) {
        node.var = find(restVariable(expr.children[0].name, expr.name));
        if (node.var != NoVar) {
            node.kind = ConditionKind::Value;
            return condition(std::move(node));
        }
    }
    node.kind = ConditionKind::Attribute;
    const auto found = std::find_if(AttributeNames.begin(), AttributeNames.end(),
                                    [&](const AttributeName& known) { return known.name == expr.name; });
    if (found == AttributeNames.end()) {
        m_context.error(expr.nameSpan, fmt::format("there is no attribute {}", expr.name), knownAttributes());
        return NoNode;
    }
    node.attribute = found->attribute;
    if (!subject(expr.children[0], node)) return NoNode;
    const bool isLength = node.attribute == Attribute::Length;
    if (isLength != isSequenceOf(node.owner, node.var)) {
        m_context.error(
            expr.nameSpan,
            isLength ? fmt::format("{} is no sequence and has no length", expr.children[0].name)
                     : fmt::format("{} is a sequence: it has a length, but no {}", expr.children[0].name, expr.name),
            "a sequence a... stands for any number of arguments");
        return NoNode;
    }
    if (isFunctionOf(node.owner, node.var) && !isOfOperators(node.attribute)) {
        m_context.error(expr.nameSpan,
                        fmt::format("{} is a function variable and has no {}", expr.children[0].name, expr.name),
                        "operators have op, arity, binds, may_fail, effectful, commutative, pointwise");
        return NoNode;
    }
    return condition(std::move(node));
}

bool ExpressionCompiler::exclusion(const Expr& expr) {
    if (expr.kind != ExprKind::Binary || expr.name != "not in") return false;
    if (expr.children[0].kind != ExprKind::Name || expr.children[1].kind != ExprKind::Name) return false;
    if (m_inPattern) {
        const auto known = m_patternBinders.find(expr.children[0].name);
        if (known == m_patternBinders.end()) return false;
        const int excluded = local(expr.children[1].name);
        if (excluded >= 0) std::erase(locals[static_cast<std::size_t>(excluded)].context, known->second);
        return excluded >= 0 || parameter(expr.children[1].name) >= 0;  // no parameter mentions what the pattern binds
    }
    const VarIndex binder = find(expr.children[0].name);
    const VarIndex var = find(expr.children[1].name);
    if (binder == NoVar || var == NoVar || variables[binder].kind != VarKind::Binder) return false;
    if (variables[var].kind != VarKind::Term && variables[var].kind != VarKind::Sequence) return false;
    exclusions.emplace_back(binder, var);
    return true;
}

std::uint32_t ExpressionCompiler::compileGuard(const Expr& expr) {
    if (exclusion(expr)) return NoNode;
    if (expr.kind != ExprKind::Binary || expr.name != "and") return compileTruth(expr);
    const std::uint32_t left = compileGuard(expr.children[0]);
    const std::uint32_t right = compileGuard(expr.children[1]);
    if (left == NoNode || right == NoNode) return left == NoNode ? right : left;
    ConditionNode node;
    node.kind = ConditionKind::And;
    node.left = left;
    node.right = right;
    node.span = expr.span;
    return condition(std::move(node));
}

}  // namespace mitos::rules
