// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/internal/signed_zeros.h"

#include <algorithm>
#include <cmath>

namespace mitos::loops {

namespace {

void addVariables(const Function& function, const Block& block, SymbolSet& variables) {
    for (const Statement& statement : block.statements) {
        if (const auto* const declare = std::get_if<Declare>(&statement.what)) variables.insert(declare->symbol);
        forEachBlock(statement, [&](const Block& inner) { addVariables(function, inner, variables); });
    }
}

}  // namespace

SignedZeros::SignedZeros(const ir::TypeTable& types, const Function& function) : m_types(types), m_function(function) {
    findVariables({});
}

SignedZeros::SignedZeros(const ir::TypeTable& types, const Function& function, const SymbolSet& startingWithZero)
    : m_types(types),
      m_function(function),
      m_areZerosAdded(false) {
    findVariables(startingWithZero);
}

void SignedZeros::findVariables(const SymbolSet& except) {
    addVariables(m_function, m_function.body, m_without);
    for (const SymbolId symbol : except) m_without.erase(symbol);
    const Effects effects(m_function);
    while (removeOthers(m_function.body, effects)) {
    }
}

bool SignedZeros::removeOthers(const Block& block, const Effects& effects) {
    bool hasChanged = false;
    const auto remove = [&](SymbolId symbol) {
        effects.forEachOwner(symbol, [&](SymbolId owner) { hasChanged = m_without.erase(owner) > 0 || hasChanged; });
    };
    for (const Statement& statement : block.statements) {
        if (const auto* const declare = std::get_if<Declare>(&statement.what)) {
            if (declare->value.isValid() && !hasNone(declare->value)) remove(declare->symbol);
        } else if (const auto* const assign = std::get_if<Assign>(&statement.what); assign && !hasNone(assign->value)) {
            SymbolSet changed;
            effects.addChanged(statement, changed);
            for (const SymbolId symbol : changed) remove(symbol);
        }
        forEachBlock(statement, [&](const Block& inner) { hasChanged = removeOthers(inner, effects) || hasChanged; });
    }
    return hasChanged;
}

bool SignedZeros::hasNone(ExpressionId value) const {
    const Expression& at = m_function.at(value);
    if (at.type == m_types.integer() || at.type == m_types.boolean()) return true;
    const auto operand = [&](std::size_t i) { return hasNone(at.operands[i]); };
    const auto all = [&] {
        return std::ranges::all_of(at.operands, [this](ExpressionId each) { return hasNone(each); });
    };
    switch (at.kind) {
        case ExpressionKind::Literal: {
            const auto* const number = std::get_if<double>(&at.payload);
            return number != nullptr && (*number != 0.0 || !std::signbit(*number));
        }
        case ExpressionKind::Name: return m_without.contains(std::get<SymbolId>(at.payload));
        case ExpressionKind::Element:
        case ExpressionKind::Part:
        case ExpressionKind::Elements:
        case ExpressionKind::Move: return operand(0);
        case ExpressionKind::Convert: return m_function.at(at.operands[0]).type == m_types.integer() || operand(0);
        case ExpressionKind::Choice: return operand(1) && operand(2);
        case ExpressionKind::Empty: return true;
        case ExpressionKind::Filled: return at.payload != Expression::Payload(true) || hasNone(at.operands.back());
        case ExpressionKind::Tuple:
        case ExpressionKind::Vector: return all();
        case ExpressionKind::Binary:
            switch (std::get<Operator>(at.payload)) {
                case Operator::Add:
                    for (const std::size_t i : {0U, 1U}) {
                        if (!m_areZerosAdded && isLiteral(m_function, at.operands[i], 0.0)) return operand(1 - i);
                    }
                    return operand(0) || operand(1);
                case Operator::Sub: return operand(0);
                case Operator::Mul: return areSame(m_function, at.operands[0], at.operands[1]);
                default: return false;
            }
        case ExpressionKind::Run:
            switch (std::get<Operation>(at.payload)) {
                case Operation::AddParts:
                case Operation::AddTangent: return operand(0) || operand(1);
                case Operation::SubParts: return operand(0);
                case Operation::DeltaVector:
                case Operation::DeltaTensor: return hasNone(at.operands.back());
                case Operation::Copy: return operand(0);
                case Operation::ZeroLike:
                case Operation::ZeroOf:
                case Operation::Exp:
                case Operation::Cosh:
                case Operation::Abs: return true;
                default: return false;
            }
        default: return false;
    }
}

SeenSigns::SeenSigns(const ir::TypeTable& types, const Function& function, const SignedZeros& zeros)
    : m_types(types),
      m_function(function),
      m_zeros(zeros),
      m_effects(function) {
    do {
        m_hasGrown = false;
        visit(function.body);
    } while (m_hasGrown);
}

bool SeenSigns::isSeen(SymbolId symbol) const {
    bool isAnySeen = false;
    m_effects.forEachOwner(symbol, [&](SymbolId owner) {
        const Storage storage = m_function.at(owner).storage;
        const bool isOutside =
            storage == Storage::Parameter || storage == Storage::Argument || storage == Storage::Function;
        isAnySeen = isAnySeen || isOutside || owner == m_function.sum || m_seen.contains(owner);
    });
    return isAnySeen;
}

bool SeenSigns::isValueSeen(const Statement& statement) const {
    if (const auto* const declare = std::get_if<Declare>(&statement.what)) return isSeen(declare->symbol);
    if (std::holds_alternative<Clear>(statement.what) || std::holds_alternative<Resize>(statement.what)) return false;
    const auto* const add = std::get_if<Accumulate>(&statement.what);
    const auto* const product = std::get_if<AddProduct>(&statement.what);
    if (add != nullptr && m_zeros.hasNone(add->place)) return false;
    if (product != nullptr && m_zeros.hasNone(product->place)) return false;
    if (add == nullptr && product == nullptr && !std::holds_alternative<Assign>(statement.what)) return true;
    SymbolSet changed;
    m_effects.addChanged(statement, changed);
    return std::ranges::any_of(changed, [this](SymbolId symbol) { return isSeen(symbol); });
}

bool SeenSigns::isOperandSeen(const Expression& expression, std::size_t operand, bool isSeen) const {
    const auto hasNone = [&](std::size_t i) { return m_zeros.hasNone(expression.operands[i]); };
    switch (expression.kind) {
        case ExpressionKind::Choice: return operand > 0 && isSeen;
        case ExpressionKind::Element:
        case ExpressionKind::Part:
        case ExpressionKind::Elements:
        case ExpressionKind::Tuple:
        case ExpressionKind::Vector:
        case ExpressionKind::Filled:
        case ExpressionKind::Convert:
        case ExpressionKind::Move: return isSeen;
        case ExpressionKind::Unary: return isSeen;
        case ExpressionKind::Binary:
            switch (std::get<Operator>(expression.payload)) {
                case Operator::Mul: return isSeen;
                case Operator::Add: return isSeen && !hasNone(1 - operand);
                case Operator::Sub: return isSeen && (operand == 0 || !hasNone(0));
                case Operator::Div: return operand == 1 || isSeen;
                default: return false;
            }
        case ExpressionKind::Run:
            switch (std::get<Operation>(expression.payload)) {
                case Operation::Exp:
                case Operation::Cos:
                case Operation::Cosh:
                case Operation::Abs:
                case Operation::Log:
                case Operation::PlaceOfMax:
                case Operation::Size:
                case Operation::Sizes:
                case Operation::Shape:
                case Operation::Dimension:
                case Operation::ZeroLike: return false;
                // A sum that begins with 0.0, except of numbers.
                case Operation::Dot:
                    return isSeen && m_types.isNumeric(m_function.at(expression.operands[operand]).type);
                case Operation::Sin:
                case Operation::Tanh:
                case Operation::Sqrt:
                case Operation::Erf:
                case Operation::Max:
                case Operation::Sum:
                case Operation::Copy: return isSeen;
                default: return true;
            }
        default: return true;
    }
}

void SeenSigns::visit(const Block& block) {
    for (const Statement& statement : block.statements) {
        const bool isSeen = isValueSeen(statement);
        forEachExpression(statement, [&](ExpressionId expression) { visit(expression, isSeen); });
        forEachBlock(statement, [this](const Block& inner) { visit(inner); });
    }
}

void SeenSigns::visit(ExpressionId expression, bool isSeen) {
    const Expression& at = m_function.at(expression);
    if (at.kind == ExpressionKind::Name && isSeen) see(std::get<SymbolId>(at.payload));
    for (std::size_t i = 0; i < at.operands.size(); ++i) visit(at.operands[i], isOperandSeen(at, i, isSeen));
}

void SeenSigns::see(SymbolId symbol) {
    m_effects.forEachOwner(symbol, [this](SymbolId owner) { m_hasGrown = m_seen.insert(owner).second || m_hasGrown; });
}

}  // namespace mitos::loops
