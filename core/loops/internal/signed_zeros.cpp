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
    addVariables(function, function.body, m_without);
    const Effects effects(function);
    while (removeOthers(function.body, effects)) {
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
                case Operator::Add: return operand(0) || operand(1);
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

}  // namespace mitos::loops
