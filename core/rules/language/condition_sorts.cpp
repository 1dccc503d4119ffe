// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the sorts of the parts of a condition, so that a condition that could never hold is rejected when it is loaded.
#include "core/rules/language/expression_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::rules {

using Sort = ExpressionCompiler::Sort;

namespace {

/// The names of element types of tensors, as frameworks write them; programs have those of their dialect.
constexpr std::array<std::string_view, 15> DtypeNames{"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64",
                                                      "u8",  "u16",  "u32", "u64", "f8", "i4",  "bool"};

std::string_view describe(Sort sort) {
    switch (sort) {
        case Sort::Truth: return "a truth value";
        case Sort::Number: return "a number";
        case Sort::Text: return "a word";
        case Sort::Operator: return "an operator";
        case Sort::Type: return "a type";
        case Sort::List: return "a list";
        case Sort::Numeric: return "a number or a list";
        case Sort::Constant: break;
    }
    return "a constant of the program";
}

std::string_view hintFor(Sort wanted) {
    if (wanted == Sort::Truth)
        return "a condition asks for something, for instance a.is_const, or compares: a.rank == 2";
    if (wanted == Sort::List) return "there are x.shape, [1, 2], and the names of attributes that are lists";
    return "there are literals, constants of the program by the name of their variable, rank, nodes, length and arity";
}

bool isNumber(Sort sort) { return sort == Sort::Number || sort == Sort::List; }

/// A constant of the program may be a truth value, a number, a list or a string.
bool canBe(Sort sort, Sort wanted) {
    const bool isNumeric = wanted == Sort::Number || wanted == Sort::List || wanted == Sort::Numeric;
    if (sort == Sort::Constant) return isNumeric || wanted == Sort::Truth || wanted == Sort::Constant;
    if (sort == Sort::Numeric) return isNumeric;
    return sort == wanted || (wanted == Sort::Numeric && isNumber(sort));
}

bool areComparable(Sort a, Sort b) {
    if (a == b) return true;
    const auto isConstantAnd = [](Sort one, Sort other) {
        return one == Sort::Constant && (other == Sort::Truth || other == Sort::Text || canBe(other, Sort::Numeric));
    };
    const auto isNumericAnd = [](Sort one, Sort other) { return one == Sort::Numeric && canBe(other, Sort::Numeric); };
    // Words for types and operators have already been looked up at their places.
    const auto isWordFor = [](Sort one, Sort other) {
        return one == Sort::Text && (other == Sort::Type || other == Sort::Operator);
    };
    return isConstantAnd(a, b) || isConstantAnd(b, a) || isNumericAnd(a, b) || isNumericAnd(b, a) || isWordFor(a, b) ||
           isWordFor(b, a);
}

}  // namespace

bool ExpressionCompiler::isDtype(std::string_view word) {
    return std::ranges::find(DtypeNames, word) != DtypeNames.end();
}

Sort ExpressionCompiler::attributeSort(Attribute attribute) {
    switch (attribute) {
        case Attribute::Type:
        case Attribute::Dtype: return Sort::Type;
        case Attribute::Rank:
        case Attribute::Length:
        case Attribute::Nodes:
        case Attribute::Arity: return Sort::Number;
        case Attribute::Op: return Sort::Operator;
        case Attribute::Value:
        case Attribute::Analysis: return Sort::Constant;
        case Attribute::Shape: return Sort::List;
        default: return Sort::Truth;
    }
}

bool ExpressionCompiler::areElements(const ConditionNode& node) {
    return std::ranges::all_of(node.elements, [&](std::uint32_t each) { return isOfSort(each, Sort::Number); });
}

/// The sort of arithmetic on numbers and lists, which is element by element.
std::optional<Sort> ExpressionCompiler::arithmeticSort(const ConditionNode& node) {
    const bool isUnary = node.kind == ConditionKind::Negate;
    if (!isOfSort(node.left, Sort::Numeric) || (!isUnary && !isOfSort(node.right, Sort::Numeric))) return std::nullopt;
    const Sort left = *sortOf(node.left);
    const Sort right = isUnary ? left : *sortOf(node.right);
    if (left == Sort::List || right == Sort::List) return Sort::List;
    return left == Sort::Number && right == Sort::Number ? Sort::Number : Sort::Numeric;
}

std::optional<Sort> ExpressionCompiler::listCallSort(const ConditionNode& node) {
    const auto are = [&](Sort first, Sort others, Sort result) {
        for (std::size_t i = 0; i < node.elements.size(); ++i) {
            if (!isOfSort(node.elements[i], i == 0 ? first : others)) return std::optional<Sort>();
        }
        return std::optional(result);
    };
    switch (node.function) {
        case ListFunction::Length:
        case ListFunction::Sum:
        case ListFunction::Least:
        case ListFunction::Largest:
        case ListFunction::Product: return are(Sort::List, Sort::List, Sort::Number);
        case ListFunction::Position: return are(Sort::List, Sort::Number, Sort::Number);
        case ListFunction::All:
        case ListFunction::Contains: return are(Sort::List, Sort::Number, Sort::Truth);
        case ListFunction::Repeat:
        case ListFunction::Range:
        case ListFunction::Sizes: return are(Sort::Number, Sort::Number, Sort::List);
        case ListFunction::Concat:
        case ListFunction::Inverse:
        case ListFunction::Broadcast: break;
    }
    return are(Sort::List, Sort::List, Sort::List);
}

/// Computes each sort once, because several enclosing parts of a condition may ask for it.
std::optional<Sort> ExpressionCompiler::sortOf(std::uint32_t index) {
    if (const auto known = m_sorts.find(index); known != m_sorts.end()) return known->second;
    const std::optional<Sort> sort = findSort(index);
    m_sorts.emplace(index, sort);
    return sort;
}

std::optional<Sort> ExpressionCompiler::findSort(std::uint32_t index) {
    const ConditionNode node = table.conditions[index];
    const auto operands = [&](Sort wanted) {
        const bool left = isOfSort(node.left, wanted);
        const bool isUnary = node.kind == ConditionKind::Not || node.kind == ConditionKind::Negate ||
                             (node.kind == ConditionKind::Apply && node.text != "max" && node.text != "min");
        const bool right = isUnary || isOfSort(node.right, wanted);
        return left && right;
    };
    const auto result = [](bool good, Sort sort) { return good ? std::optional(sort) : std::nullopt; };
    switch (node.kind) {
        case ConditionKind::And:
        case ConditionKind::Or:
        case ConditionKind::Not: return result(operands(Sort::Truth), Sort::Truth);
        case ConditionKind::Less:
        case ConditionKind::LessEqual:
        case ConditionKind::Greater:
        case ConditionKind::GreaterEqual: return result(operands(Sort::Number), Sort::Truth);
        case ConditionKind::Add:
        case ConditionKind::Subtract:
        case ConditionKind::Multiply:
        case ConditionKind::Divide:
        case ConditionKind::Remainder:
        case ConditionKind::Negate: return arithmeticSort(node);
        case ConditionKind::Apply: return result(operands(Sort::Number), Sort::Number);
        case ConditionKind::Equal:
        case ConditionKind::NotEqual: {
            const std::optional<Sort> left = sortOf(node.left);
            const std::optional<Sort> right = sortOf(node.right);
            if (!left || !right) return std::nullopt;
            if (areComparable(*left, *right)) return Sort::Truth;
            m_context.error(node.span, fmt::format("{} is compared with {}", describe(*left), describe(*right)),
                            "they are never equal, and never different");
            return std::nullopt;
        }
        case ConditionKind::Constant: return node.isBoolean ? Sort::Truth : Sort::Number;
        case ConditionKind::Word: return Sort::Text;
        case ConditionKind::Type: return Sort::Type;
        case ConditionKind::Value: return Sort::Constant;
        case ConditionKind::Attribute: return attributeSort(node.attribute);
        case ConditionKind::List: return result(areElements(node), Sort::List);
        case ConditionKind::Element: {
            if (!isOfSort(node.left, Sort::List) || !isOfSort(node.right, Sort::Numeric)) return std::nullopt;
            const Sort index = *sortOf(node.right);
            return index == Sort::Number || index == Sort::List ? index : Sort::Numeric;
        }
        case ConditionKind::Slice: return result(isOfSort(node.left, Sort::List) && areElements(node), Sort::List);
        case ConditionKind::ListCall: return listCallSort(node);
        case ConditionKind::Mentions:
        case ConditionKind::MemberOf: break;
    }
    return Sort::Truth;
}

bool ExpressionCompiler::isOfSort(std::uint32_t index, Sort wanted) {
    const std::optional<Sort> sort = sortOf(index);
    if (!sort) return false;
    if (canBe(*sort, wanted)) return true;
    m_context.error(table.conditions[index].span,
                    fmt::format("expected {}, this is {}", describe(wanted), describe(*sort)),
                    std::string(hintFor(wanted)));
    return false;
}

std::uint32_t ExpressionCompiler::compileTruth(const syntax::Expr& expr) {
    const std::uint32_t result = compileCondition(expr);
    return result != NoNode && isOfSort(result, Sort::Truth) ? result : NoNode;
}

std::uint32_t ExpressionCompiler::compileValue(const syntax::Expr& expr) {
    const std::uint32_t result = compileCondition(expr);
    return result != NoNode && sortOf(result) ? result : NoNode;
}

std::uint32_t ExpressionCompiler::compileConstant(const syntax::Expr& expr) {
    const std::uint32_t result = compileCondition(expr);
    if (result == NoNode) return NoNode;
    const std::optional<Sort> sort = sortOf(result);
    if (!sort) return NoNode;
    // The name of an element type, or of an operator, is a word.
    const ConditionNode& node = table.conditions[result];
    const bool isWord = node.kind == ConditionKind::Attribute &&
                        (node.attribute == Attribute::Dtype || node.attribute == Attribute::Op);
    if (canBe(*sort, Sort::Truth) || canBe(*sort, Sort::Numeric) || isWord) return result;
    m_context.error(expr.span, fmt::format("expected a number or a truth value, this is {}", describe(*sort)),
                    std::string(hintFor(Sort::Number)));
    return NoNode;
}

}  // namespace mitos::rules
