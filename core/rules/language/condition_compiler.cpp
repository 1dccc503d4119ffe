// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles conditions to nodes.
#include "core/rules/language/editing.h"
#include "core/rules/language/expression_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mitos::rules {

using syntax::Expr;
using syntax::ExprKind;

namespace {

constexpr std::array<std::pair<std::string_view, Attribute>, 36> AttributeNames{{
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

constexpr std::array<std::pair<std::string_view, ConditionKind>, 13> OperatorKinds{{{"and", ConditionKind::And},
                                                                                    {"or", ConditionKind::Or},
                                                                                    {"==", ConditionKind::Equal},
                                                                                    {"!=", ConditionKind::NotEqual},
                                                                                    {"<", ConditionKind::Less},
                                                                                    {"<=", ConditionKind::LessEqual},
                                                                                    {">", ConditionKind::Greater},
                                                                                    {">=", ConditionKind::GreaterEqual},
                                                                                    {"+", ConditionKind::Add},
                                                                                    {"-", ConditionKind::Subtract},
                                                                                    {"*", ConditionKind::Multiply},
                                                                                    {"/", ConditionKind::Divide},
                                                                                    {"%", ConditionKind::Remainder}}};

/// The kind of an infix operator; nothing for other names.
std::optional<ConditionKind> kindOf(std::string_view name) {
    const auto* const found = std::ranges::find(OperatorKinds, name, &decltype(OperatorKinds)::value_type::first);
    return found == OperatorKinds.end() ? std::nullopt : std::optional(found->second);
}

ConditionNode nodeOf(ConditionKind kind, std::uint32_t left = 0, std::uint32_t right = 0) {
    ConditionNode node;
    node.kind = kind;
    node.left = left;
    node.right = right;
    return node;
}

ConditionNode wordNode(std::string text) {
    ConditionNode node = nodeOf(ConditionKind::Word);
    node.text = std::move(text);
    return node;
}

bool isTypeExpr(const Expr& expr) {
    static constexpr std::array<std::string_view, 7> TypeNames{"Float", "Integer", "Bool", "String",
                                                               "Vec",   "Tensor",  "Tuple"};
    return (expr.kind == ExprKind::Name || expr.kind == ExprKind::Call) &&
           std::ranges::find(TypeNames, expr.name) != TypeNames.end();
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
    for (const auto& [name, attribute] : AttributeNames) {
        if (name == "is_constant") break;
        result += (result.empty() ? "" : ", ") + std::string(name);
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
        case ExprKind::Text: return condition(wordNode(expr.name));
        case ExprKind::Not: return condition(nodeOf(ConditionKind::Not, compileCondition(expr.children[0])));
        case ExprKind::Call: return conditionCall(expr);
        case ExprKind::Binary: return expr.name == "in" || expr.name == "not in" ? membership(expr) : comparison(expr);
        case ExprKind::Class:
            if (!m_context.names.isClass(expr.name)) {
                return m_context.error(expr.nameSpan, fmt::format("there is no class of operators {}", expr.name),
                                       "the classes are " + m_context.names.classNames());
            }
            return memberOf(expr.children[0], m_context.names.classMembers(expr.name), false);
        case ExprKind::Member: return member(expr);
        case ExprKind::List: return elements(expr, 0, nodeOf(ConditionKind::List));
        case ExprKind::Element: {
            const std::uint32_t list = compileCondition(expr.children[0]);
            return condition(nodeOf(ConditionKind::Element, list, compileCondition(expr.children[1])));
        }
        case ExprKind::Slice:
            return elements(expr, 1, nodeOf(ConditionKind::Slice, compileCondition(expr.children[0])));
        default:
            return m_context.error(expr.span, "this cannot be part of a condition",
                                   "conditions are made of attributes (e.type), comparisons, `x in e`, and, or, not");
    }
}

/// Adds `node` with the children of the expression from number `first` on as its elements.
std::uint32_t ExpressionCompiler::elements(const Expr& expr, std::size_t first, ConditionNode node) {
    for (std::size_t i = first; i < expr.children.size(); ++i) {
        if (expr.children[i].kind == ExprKind::Sequence) {
            return m_context.error(expr.children[i].span, "a list cannot contain a sequence",
                                   "bind the list to a name and take a slice of it: s[2:]");
        }
        node.elements.push_back(compileCondition(expr.children[i]));
        if (node.elements.back() == NoNode) return NoNode;
    }
    return condition(std::move(node));
}

/// Compiles a call of a function of lists; nothing if the name is not one of them.
std::optional<std::uint32_t> ExpressionCompiler::listCall(const Expr& expr) {
    const auto* const found = std::ranges::find(ListFunctions, expr.name, &ListFunctionName::name);
    if (found == ListFunctions.end()) return std::nullopt;
    // min and max of two numbers are functions of numbers.
    const bool isOfTwo = found->function == ListFunction::Least || found->function == ListFunction::Largest;
    if (isOfTwo && expr.children.size() == 2) return std::nullopt;
    if (found->arity == 0 ? expr.children.empty() : expr.children.size() != found->arity) {
        return m_context.error(expr.span, found->arity == 0 ? fmt::format("{} takes lists here", expr.name)
                                                            : fmt::format("{} takes {} argument{} here", expr.name,
                                                                          found->arity, found->arity == 1 ? "" : "s"));
    }
    ConditionNode node = nodeOf(ConditionKind::ListCall);
    node.function = found->function;
    if (node.function != ListFunction::Sizes) return elements(expr, 0, std::move(node));
    if (!subject(expr.children[0], node)) return NoNode;
    if (!isSequenceOf(node.owner, node.var)) {
        return m_context.error(expr.children[0].span, fmt::format("{} is not a sequence", expr.children[0].name),
                               "sizes(a, axis) takes a sequence a...; a single array has a shape: x.shape[axis]");
    }
    return elements(expr, 1, std::move(node));
}

std::uint32_t ExpressionCompiler::conditionCall(const Expr& expr) {
    if (const std::optional<std::uint32_t> list = listCall(expr)) return *list;
    ConditionNode node;
    // and(a, b) is a call of an operator of programs.
    const std::optional<ConditionKind> kind = kindOf(expr.name);
    if (kind && *kind != ConditionKind::And && *kind != ConditionKind::Or) {
        const bool isNegation = *kind == ConditionKind::Subtract && expr.children.size() == 1;
        node.kind = isNegation ? ConditionKind::Negate : *kind;
    } else if (std::ranges::find(Functions, expr.name) != Functions.end()) {
        const std::size_t arity = expr.name == "max" || expr.name == "min" ? 2 : 1;
        if (expr.children.size() != arity) {
            return m_context.error(expr.span,
                                   fmt::format("{} takes {} argument{} here", expr.name, arity, arity == 1 ? "" : "s"));
        }
        node.kind = ConditionKind::Apply;
        node.text = expr.name;
    } else {
        return m_context.error(expr.nameSpan, fmt::format("{} cannot be computed in a condition", expr.name),
                               fmt::format("there are + - * / % and {}", fmt::join(Functions, ", ")));
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
    const auto known = lookUp(expr.name);
    if (!known) {
        m_context.error(
            expr.nameSpan, fmt::format("{} is not bound: it does not occur on the side that is matched", expr.name),
            "conditions may use the variables of that side; a word of the program is written in quotes: \"same\"");
        return false;
    }
    node.owner = known->first;
    node.var = known->second;
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

std::uint32_t ExpressionCompiler::conditionName(const Expr& expr) {
    if (!lookUp(expr.name) && m_context.names.isAnalysisWord(expr.name)) return condition(wordNode(expr.name));
    ConditionNode node = nodeOf(ConditionKind::Value);
    if (!subject(expr, node)) return NoNode;
    if (isSequenceOf(node.owner, node.var)) {
        return m_context.error(expr.span, fmt::format("{} is a sequence: it has a length, but no value", expr.name),
                               fmt::format("{}.length", expr.name));
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
    if (expr.kind == ExprKind::Name && isDtype(expr.name)) return condition(wordNode(expr.name));
    std::optional<TypeSpec> spec = type(expr);
    if (!spec) return NoNode;
    ConditionNode node = nodeOf(ConditionKind::Type);
    node.type = std::move(*spec);
    return condition(std::move(node));
}

bool ExpressionCompiler::requireOperator(const Expr& expr) {
    if (m_context.names.registry().find(expr.name).isValid()) return true;
    m_context.error(expr.span, fmt::format("there is no operator {}", expr.name), m_context.names.hintFor(expr.name));
    return false;
}

/// Whether the expression denotes an operator: a function variable, or the attribute op.
bool ExpressionCompiler::isOperator(const Expr& expr) const {
    if (expr.kind == ExprKind::Member) return expr.name == "op" || expr.name == "name";
    const auto known = expr.kind == ExprKind::Name ? lookUp(expr.name) : std::nullopt;
    return known && isFunctionOf(known->first, known->second);
}

/// Compiles one side of == or !=. Names that are not variables denote types or operators if the other side is one.
std::uint32_t ExpressionCompiler::operand(const Expr& expr, const Expr& other) {
    const bool isWord = expr.kind == ExprKind::Name && !lookUp(expr.name);
    const bool othersType = other.kind == ExprKind::Member && (other.name == "type" || other.name == "dtype");
    if (othersType && (isWord || isTypeExpr(expr))) return typeWord(expr);
    if (isOperator(other) && (isWord || expr.kind == ExprKind::Text)) {
        return requireOperator(expr) ? condition(wordNode(expr.name)) : NoNode;
    }
    return compileCondition(expr);
}

std::uint32_t ExpressionCompiler::comparison(const Expr& expr) {
    ConditionNode node = nodeOf(*kindOf(expr.name));
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
    ConditionNode node = nodeOf(ConditionKind::MemberOf);
    node.words = std::move(words);
    if (!subject(of, node)) return NoNode;
    const std::uint32_t result = condition(std::move(node));
    return negated ? condition(nodeOf(ConditionKind::Not, result)) : result;
}

std::uint32_t ExpressionCompiler::membership(const Expr& expr) {
    const bool negated = expr.name == "not in";
    const Expr& right = expr.children[1];
    if (right.kind == ExprKind::Set) {
        std::vector<std::string> words;
        for (const Expr& word : right.children) {
            if (!requireOperator(word)) return NoNode;
            words.push_back(word.name);
        }
        return memberOf(expr.children[0], std::move(words), negated);
    }
    if (right.kind == ExprKind::Name && m_context.names.isClass(right.name) && find(right.name) == NoVar) {
        return memberOf(expr.children[0], m_context.names.classMembers(right.name), negated);
    }
    ConditionNode node = nodeOf(ConditionKind::Mentions);
    const Expr& left = expr.children[0];
    node.binder = left.kind == ExprKind::Name ? find(left.name) : NoVar;
    if (node.binder == NoVar || variables[node.binder].kind != VarKind::Binder) {
        return m_context.error(left.span,
                               "the left operand of `in` must be a bound variable of the side that is matched",
                               "x in e, where x is bound by \\x. … or let x = … in …");
    }
    if (!subject(right, node)) return NoNode;
    if (isFunctionOf(node.owner, node.var)) {
        return m_context.error(right.span, fmt::format("{} is a function variable and mentions nothing", right.name),
                               "x in e needs a variable e that stands for a term");
    }
    const std::uint32_t result = condition(std::move(node));
    return negated ? condition(nodeOf(ConditionKind::Not, result)) : result;
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
    const auto* const found =
        std::ranges::find(AttributeNames, std::string_view(expr.name), &decltype(AttributeNames)::value_type::first);
    if (const std::optional<std::uint32_t> analysis = m_context.names.analysis(expr.name)) {
        node.attribute = Attribute::Analysis;
        node.analysis = *analysis;
    } else if (found == AttributeNames.end()) {
        return m_context.error(expr.nameSpan, fmt::format("there is no attribute {}", expr.name), knownAttributes());
    } else {
        node.attribute = found->second;
    }
    if (!subject(expr.children[0], node)) return NoNode;
    const bool isLength = node.attribute == Attribute::Length;
    if (isLength != isSequenceOf(node.owner, node.var)) {
        return m_context.error(
            expr.nameSpan,
            isLength ? fmt::format("{} is not a sequence and has no length", expr.children[0].name)
                     : fmt::format("{} is a sequence: it has a length, but no {}", expr.children[0].name, expr.name),
            "a sequence a... stands for any number of arguments");
    }
    if (isFunctionOf(node.owner, node.var) && !isOfOperators(node.attribute)) {
        return m_context.error(expr.nameSpan,
                               fmt::format("{} is a function variable and has no {}", expr.children[0].name, expr.name),
                               "operators have op, arity, binds, may_fail, effectful, commutative, pointwise");
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
    ConditionNode node = nodeOf(ConditionKind::And, left, right);
    node.span = expr.span;
    return condition(std::move(node));
}

std::vector<std::string_view> conditionAttributes() {
    std::vector<std::string_view> names;
    for (const auto& [name, attribute] : AttributeNames) names.push_back(name);
    return names;
}

bool isConditionAttribute(std::string_view name) {
    return std::ranges::find(AttributeNames, name, &decltype(AttributeNames)::value_type::first) !=
           AttributeNames.end();
}

std::vector<std::string_view> conditionFunctions() {
    std::vector<std::string_view> names(Functions.begin(), Functions.end());
    for (const ListFunctionName& function : ListFunctions) {
        if (std::ranges::find(names, function.name) == names.end()) names.push_back(function.name);
    }
    return names;
}

}  // namespace mitos::rules
