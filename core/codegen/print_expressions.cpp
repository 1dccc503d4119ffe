// SPDX-License-Identifier: GPL-3.0-or-later
// Types and expressions of the loop form as C++.
#include "core/codegen/internal/literals.h"
#include "core/codegen/internal/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::codegen {

using ir::TypeId;
using ir::TypeKind;
using loops::Expression;
using loops::ExpressionId;
using loops::ExpressionKind;
using loops::Operation;
using loops::Operator;

namespace {

/// A function of the standard library; nullptr for other operations.
const char* standardName(Operation operation) {
    switch (operation) {
        case Operation::Exp: return "exp";
        case Operation::Log: return "log";
        case Operation::Sin: return "sin";
        case Operation::Cos: return "cos";
        case Operation::Tanh: return "tanh";
        case Operation::Cosh: return "cosh";
        case Operation::Sqrt: return "sqrt";
        case Operation::Erf: return "erf";
        case Operation::Lgamma: return "lgamma";
        case Operation::Abs: return "abs";
        case Operation::Pow: return "pow";
        case Operation::Max: return "max";
        default: return nullptr;
    }
}

/// The helper that does what an operation says.
const char* helperName(Operation operation) {
    switch (operation) {
        case Operation::Plus: return "plus";
        case Operation::Minus: return "minus";
        case Operation::Times: return "times";
        case Operation::Quotient: return "quotient";
        case Operation::AddParts: return "add";
        case Operation::SubParts: return "sub";
        case Operation::MulParts: return "mul";
        case Operation::DivParts: return "div";
        case Operation::AddTangent: return "tsAdd";
        case Operation::ScaleTangent: return "tsScale";
        case Operation::Dot: return "tsDot";
        case Operation::ToTangent: return "tangent";
        case Operation::MatrixTimesVector: return "matVec";
        case Operation::ExpParts: return "mapExp";
        case Operation::Size: return "size";
        case Operation::AsSize: return "asSize";
        case Operation::Shape: return "shape";
        case Operation::ZeroLike: return "zeroLike";
        case Operation::ZeroOf: return "zeroOf";
        case Operation::Sum: return "sum";
        case Operation::PlaceOfMax: return "argMax";
        case Operation::DeltaVector: return "deltaVec";
        case Operation::Copy: return "copy";
        default: return "hashToUnit";
    }
}

struct Sign {
    const char* text;
    Precedence precedence;
};

Sign signOf(Operator op) {
    switch (op) {
        case Operator::Add: return {"+", Additive};
        case Operator::Sub: return {"-", Additive};
        case Operator::Mul: return {"*", Multiplicative};
        case Operator::Div: return {"/", Multiplicative};
        case Operator::Less: return {"<", Relational};
        case Operator::Greater: return {">", Relational};
        case Operator::LessEqual: return {"<=", Relational};
        case Operator::GreaterEqual: return {">=", Relational};
        case Operator::Equal: return {"==", Equality};
        case Operator::NotEqual: return {"!=", Equality};
        case Operator::And: return {"&&", LogicalAnd};
        case Operator::Or: return {"||", LogicalOr};
        case Operator::Negate: return {"-", Unary};
        case Operator::Not: break;
    }
    return {"!", Unary};
}

}  // namespace

std::string cppType(const ir::TypeTable& types, TypeId type, Helpers& helpers) {
    switch (types.kind(type)) {
        case TypeKind::Float: return "double";
        case TypeKind::Integer: helpers.needHeader("cstdint"); return "std::int64_t";
        case TypeKind::Bool: return "bool";
        case TypeKind::String: helpers.needHeader("string"); return "std::string";
        case TypeKind::Tuple: {
            helpers.needHeader("tuple");
            std::string parts;
            for (const TypeId part : types.children(type)) {
                parts += (parts.empty() ? "" : ", ") + cppType(types, part, helpers);
            }
            return "std::tuple<" + parts + ">";
        }
        case TypeKind::Tensor: {
            const std::string element = cppType(types, types.element(type), helpers);
            if (types.rank(type) == 1) {
                helpers.needHeader("vector");
                return "std::vector<" + element + ">";
            }
            helpers.need("Tensor");
            return fmt::format("ks::Tensor<{}, {}>", element, types.rank(type));
        }
        case TypeKind::Lambda: {
            helpers.needHeader("functional");
            const std::string from = cppType(types, types.children(type)[0], helpers);
            return fmt::format("std::function<{}(const {}&)>", cppType(types, types.children(type)[1], helpers), from);
        }
        case TypeKind::LinearMap:
        case TypeKind::Array: break;
    }
    throw Unsupported{fmt::format("values of type {} have no C++", types.toString(type)),
                      "export a function without linear maps"};
}

bool Printer::isScalar(TypeId type) const { return m_types.isNumeric(type) || type == m_types.boolean(); }

std::string Printer::wrapped(const Text& text, Precedence least) {
    return text.precedence < least ? "(" + text.text + ")" : text.text;
}

std::string Printer::ksCall(const std::string& helper, const std::string& arguments) {
    m_helpers.need(helper);
    return fmt::format("ks::{}({})", helper, arguments);
}

std::string Printer::list(const std::vector<ExpressionId>& ids, std::size_t first, std::size_t count) {
    std::string text;
    const std::size_t end = first + std::min(count, ids.size() - first);
    for (std::size_t i = first; i < end; ++i) text += (i == first ? "" : ", ") + print(ids[i]).text;
    return text;
}

Printer::Text Printer::print(ExpressionId id) {
    const Expression& at = m_function.at(id);
    switch (at.kind) {
        case ExpressionKind::Literal: return literal(at);
        case ExpressionKind::Name: return {nameOf(std::get<loops::SymbolId>(at.payload))};
        case ExpressionKind::Element: return {element(at)};
        case ExpressionKind::Part:
            return {fmt::format("std::get<{}>({})", std::get<std::int64_t>(at.payload), expression(at.operands[0]))};
        case ExpressionKind::Elements: return {expression(at.operands[0]) + ".data"};
        case ExpressionKind::Unary: return unary(at);
        case ExpressionKind::Binary: return binary(at);
        case ExpressionKind::Choice: return choice(id);
        case ExpressionKind::Call: {
            const loops::FunctionIndex callee = std::get<loops::FunctionIndex>(at.payload);
            return {fmt::format("{}({})", m_program.functions[callee.value].name, list(at.operands))};
        }
        case ExpressionKind::Apply:
            return {fmt::format("{}({})", expression(at.operands[0]), expression(at.operands[1]))};
        case ExpressionKind::Run: return {run(at)};
        case ExpressionKind::Tuple:
            m_helpers.needHeader("utility");
            return {fmt::format("{}({})", type(at.type), list(at.operands))};
        case ExpressionKind::Vector:
            m_helpers.needHeader("utility");
            return {fmt::format("{}{{{}}}", type(at.type), list(at.operands))};
        case ExpressionKind::Filled: return {filled(at)};
        case ExpressionKind::Empty: return {type(at.type) + "{}"};
        case ExpressionKind::Convert: return {converted(at)};
        case ExpressionKind::Move: break;
    }
    m_helpers.needHeader("utility");
    return {fmt::format("std::move({})", expression(at.operands[0]))};
}

Printer::Text Printer::literal(const Expression& expression) {
    if (const auto* const number = std::get_if<double>(&expression.payload)) {
        const std::string text = floatLiteral(*number);
        if (text.starts_with("std::") || text.starts_with('(')) m_helpers.needHeader("limits");
        return {text, text[0] == '-' ? Unary : Primary};
    }
    if (const auto* const number = std::get_if<std::int64_t>(&expression.payload)) {
        if (*number == INT64_MIN) return {"(-9223372036854775807 - 1)"};
        return {fmt::format("{}", *number), *number < 0 ? Unary : Primary};
    }
    if (const auto* const truth = std::get_if<bool>(&expression.payload)) return {*truth ? "true" : "false"};
    m_helpers.needHeader("string");
    const std::string_view text = m_bank.text(std::get<Symbol>(expression.payload));
    return {fmt::format("std::string({}, {})", stringLiteral(text), text.size())};
}

Printer::Text Printer::unary(const Expression& expression) {
    const Text operand = print(expression.operands[0]);
    if (std::get<Operator>(expression.payload) == Operator::Not) return {"!" + wrapped(operand, Unary), Unary};
    return {operand.text.starts_with('-') ? fmt::format("-({})", operand.text) : "-" + wrapped(operand, Unary), Unary};
}

Printer::Text Printer::binary(const Expression& expression) {
    const auto [symbol, precedenceOfSign] = signOf(std::get<Operator>(expression.payload));
    const Precedence precedence = precedenceOfSign;
    if (precedence >= Additive) return joined(expression, symbol, precedence);
    // Operands of comparisons are sums, and those of && and || are comparisons: && within || keeps its parentheses.
    const Precedence least = precedence >= Equality ? Additive : Equality;
    const auto operand = [&](ExpressionId id) {
        const bool isSame = precedence < Equality && m_function.at(id).payload == expression.payload;
        return wrapped(id, isSame ? precedence : least);
    };
    return {fmt::format("{} {} {}", operand(expression.operands[0]), symbol, operand(expression.operands[1])),
            precedence};
}

Printer::Text Printer::joined(const Expression& expression, const char* symbol, Precedence precedence) {
    const Operator op = std::get<Operator>(expression.payload);
    const Text left = print(expression.operands[0]);
    const Text right = print(expression.operands[1]);
    // 2 * (i / 2 * 3) is not 2 * i / 2 * 3.
    const bool isAssociative = expression.type == m_types.integer() && (op == Operator::Add || op == Operator::Mul) &&
                               !beginsWithQuotient(expression.operands[1]);
    // A sign or an operand of the same strength on the right side keeps its parentheses.
    const Precedence rightLeast = isAssociative ? precedence : static_cast<Precedence>(precedence + 1);
    const std::string rightText = right.text.starts_with('-') ? "(" + right.text + ")" : wrapped(right, rightLeast);
    return {fmt::format("{} {} {}", wrapped(left, precedence), symbol, rightText), precedence};
}

bool Printer::beginsWithQuotient(ExpressionId id) const {
    const auto isOf = [this](ExpressionId at, const Expression::Payload& op, const Expression::Payload& guarded) {
        return m_function.at(at).payload == op || m_function.at(at).payload == guarded;
    };
    while (isOf(id, Operator::Mul, Operation::Times)) id = m_function.at(id).operands[0];
    return isOf(id, Operator::Div, Operation::Quotient);
}

Printer::Text Printer::choice(ExpressionId id) {
    const Expression& at = m_function.at(id);
    std::string text = fmt::format("{} ? {} : {}", wrapped(at.operands[0], LogicalOr),
                                   wrapped(at.operands[1], LogicalOr), wrapped(at.operands[2], LogicalOr));
    if (!isScalar(at.type) && isPlace(m_function, id)) return {"(" + text + ")"};
    return {std::move(text), Conditional};
}

std::string Printer::element(const Expression& expression) {
    const ExpressionId vector = expression.operands[0];
    const bool isChecked = std::get<bool>(expression.payload);
    const TypeId vectorType = m_function.at(vector).type;
    const bool isVector = m_function.at(vector).kind == ExpressionKind::Elements || isSeries(m_function, vector);
    const bool isTensor = !isVector && m_types.rank(vectorType) > 1;
    if (isTensor) return fmt::format("{}({})", this->expression(vector), list(expression.operands, 1));
    if (isChecked) return ksCall("at", list(expression.operands));
    return fmt::format("{}[{}]", this->expression(vector), list(expression.operands, 1));
}

std::string Printer::filled(const Expression& expression) {
    const std::string made = type(expression.type);
    if (m_types.rank(expression.type) == 1) return fmt::format("{}({})", made, list(expression.operands));
    m_helpers.need("constTensor");
    const std::size_t sizes = expression.operands.size() - 1;
    return fmt::format("ks::constTensor<{}, {}>({{{}}}, {})", type(m_types.element(expression.type)), sizes,
                       list(expression.operands, 0, sizes), this->expression(expression.operands.back()));
}

std::string Printer::converted(const Expression& expression) {
    const std::string operand = this->expression(expression.operands[0]);
    if (expression.type == m_types.floating()) return fmt::format("static_cast<double>({})", operand);
    const bool isNumber = expression.type == m_types.integer() && !isPlace(m_function, expression.operands[0]);
    const std::string made = type(expression.type);
    return isNumber ? fmt::format("{}{{{}}}", made, operand) : fmt::format("{}({})", made, operand);
}

std::string Printer::run(const Expression& expression) {
    const Operation operation = std::get<Operation>(expression.payload);
    const std::vector<ExpressionId>& operands = expression.operands;
    if (const char* const name = standardName(operation)) {
        m_helpers.needHeader(operation == Operation::Max ? "algorithm" : "cmath");
        return fmt::format("std::{}({})", name, list(operands));
    }
    switch (operation) {
        case Operation::Sizes: {
            const bool isOfVector = m_types.rank(m_function.at(operands[0]).type) == 1;
            return this->expression(operands[0]) + (isOfVector ? ".size()" : ".dims");
        }
        case Operation::Dimension: return fmt::format("{}.dims[{}]", this->expression(operands[0]), expression.number);
        case Operation::SizeIfAny: {
            std::string text;
            for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
                text += fmt::format("{}.empty() ? 0 : ", this->expression(operands[i]));
            }
            return text + this->expression(operands.back());
        }
        case Operation::Unzip: {
            const bool isOfVector = m_types.rank(m_function.at(operands[0]).type) == 1;
            return ksCall(isOfVector ? "unzip" : "unzipTensor", list(operands));
        }
        case Operation::DeltaTensor: return deltaTensor(expression);
        case Operation::Clamp:
            m_helpers.needHeader("algorithm");
            return fmt::format("std::clamp<{}>({})", type(expression.type), list(operands));
        default: break;
    }
    const std::string helper = helperName(operation);
    if (!expression.told.isValid()) return ksCall(helper, list(operands));
    m_helpers.need(helper);
    return fmt::format("ks::{}<{}>({})", helper, type(expression.told), list(operands));
}

std::string Printer::deltaTensor(const Expression& expression) {
    m_helpers.need("deltaTensor");
    const std::size_t rank = m_types.rank(expression.type);
    return fmt::format("ks::deltaTensor<{}, {}>({{{}}}, {{{}}}, {})", type(expression.told), rank,
                       list(expression.operands, 0, rank), list(expression.operands, rank, rank),
                       this->expression(expression.operands.back()));
}

}  // namespace mitos::codegen
