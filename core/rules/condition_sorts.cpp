// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of a condition are, so that a condition that could never hold is refused when it is loaded.
#include "core/rules/expression_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::rules {

using Sort = ExpressionCompiler::Sort;

namespace {

/// Names of the types of tensors' elements, as frameworks write them; programs have those of their dialect.
constexpr std::array<std::string_view, 15> DtypeNames{"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64",
                                                      "u8",  "u16",  "u32", "u64", "f8", "i4",  "bool"};

std::string_view describe(Sort sort) {
    switch (sort) {
        case Sort::Truth: return "a truth value";
        case Sort::Number: return "a number";
        case Sort::Text: return "a word";
        case Sort::Operator: return "an operator";
        case Sort::Type: return "a type";
        case Sort::Constant: break;
    }
    return "a constant of the program";
}

std::string_view hintFor(Sort wanted) {
    if (wanted == Sort::Truth)
        return "a condition asks for something, for instance a.is_const, or compares: a.rank == 2";
    return "there are literals, constants of the program by the name of their variable, rank, nodes, length and arity";
}

/// A constant of the program may be a truth value, a number or a string.
bool canBe(Sort sort, Sort wanted) {
    return sort == wanted || (sort == Sort::Constant && (wanted == Sort::Truth || wanted == Sort::Number));
}

bool areComparable(Sort a, Sort b) {
    if (a == b) return true;
    const auto isConstantAnd = [](Sort one, Sort other) {
        return one == Sort::Constant && (other == Sort::Truth || other == Sort::Number || other == Sort::Text);
    };
    // Words for types and operators have been looked up where they stand.
    const auto isWordFor = [](Sort one, Sort other) {
        return one == Sort::Text && (other == Sort::Type || other == Sort::Operator);
    };
    return isConstantAnd(a, b) || isConstantAnd(b, a) || isWordFor(a, b) || isWordFor(b, a);
}

}  // namespace

bool ExpressionCompiler::isDtype(std::string_view word) {
    return std::find(DtypeNames.begin(), DtypeNames.end(), word) != DtypeNames.end();
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
        case Attribute::Value: return Sort::Constant;
        default: return Sort::Truth;
    }
}

/// Nothing after an error.
std::optional<Sort> ExpressionCompiler::sortOf(std::uint32_t index) {
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
        case ConditionKind::Negate:
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

std::uint32_t ExpressionCompiler::compileConstant(const syntax::Expr& expr) {
    const std::uint32_t result = compileCondition(expr);
    if (result == NoNode) return NoNode;
    const std::optional<Sort> sort = sortOf(result);
    if (!sort) return NoNode;
    if (canBe(*sort, Sort::Truth) || canBe(*sort, Sort::Number)) return result;
    m_context.error(expr.span, fmt::format("expected a number or a truth value, this is {}", describe(*sort)),
                    std::string(hintFor(Sort::Number)));
    return NoNode;
}

}  // namespace mitos::rules
