// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic, comparisons, logic and functions of Floats as expressions.
#include "core/loops/internal/lowerer.h"

#include <numbers>
#include <utility>

namespace mitos::loops {

using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// Sums, differences and products below this magnitude need no guards.
constexpr double LargestPlain = 0x1p62;

/// The range of an operation on two Integers of these ranges, before it wraps.
ir::ValueRange rangeOf(Op op, const ir::ValueRange& a, const ir::ValueRange& b) {
    switch (op) {
        case Op::Add: return sum(a, b);
        case Op::Sub: return sum(a, ir::negated(b));
        case Op::Mul: return product(a, b);
        default: return truncatedQuotient(a, b);
    }
}

}  // namespace

Code FunctionLowerer::joined(Operator op, TypeId type, Code left, const Code& right) {
    // Products and sums of int literals are 64 bits wide in ks.
    if (left.plainInt && right.plainInt) {
        left.expression = make(ExpressionKind::Convert, m_types.integer(), {}, {left.expression});
    }
    return Code{binary(op, type, left.expression, right.expression)};
}

Code FunctionLowerer::joinedChildren(Operator op, TermId term) {
    const Code left = lower(m_bank.child(term, 0));
    const Code right = lower(m_bank.child(term, 1));
    return joined(op, m_bank.type(term), left, right);
}

Code FunctionLowerer::negated(const Code& code, TypeId type) {
    return Code{unary(Operator::Negate, type, code.expression), Form::Value, code.plainInt, ir::negated(code.range)};
}

ExpressionId FunctionLowerer::differentFrom(ExpressionId right, ExpressionId left) {
    return areSame(left, right) ? run(Operation::Copy, m_result.at(left).type, {left}) : left;
}

Code FunctionLowerer::comparison(Operator op, TermId term) {
    const ExpressionId left = lower(m_bank.child(term, 0)).expression;
    const ExpressionId right = lower(m_bank.child(term, 1)).expression;
    return Code{binary(op, m_types.boolean(), differentFrom(right, left), right)};
}

Code FunctionLowerer::logical(Operator op, TermId term) {
    const ExpressionId left = lower(m_bank.child(term, 0)).expression;
    const ExpressionId right = lower(m_bank.child(term, 1)).expression;
    // Operands with equal text would cause compiler warnings.
    return Code{binary(op, m_types.boolean(), differentFrom(right, left), right)};
}

Code FunctionLowerer::arithmetic(Op op, TermId term) {
    struct Operator4 {
        Operator symbol;
        Operation helper;   // for tuples and tensors
        Operation guarded;  // for Integers that may be too large, or zero
    };
    const Operator4 chosen = op == Op::Add   ? Operator4{Operator::Add, Operation::AddParts, Operation::Plus}
                             : op == Op::Sub ? Operator4{Operator::Sub, Operation::SubParts, Operation::Minus}
                             : op == Op::Mul ? Operator4{Operator::Mul, Operation::MulParts, Operation::Times}
                                             : Operator4{Operator::Div, Operation::DivParts, Operation::Quotient};
    const TypeId type = m_bank.type(term);
    const TypeId left = m_bank.type(m_bank.child(term, 0));
    const TypeId right = m_bank.type(m_bank.child(term, 1));
    Code a = lower(m_bank.child(term, 0));
    Code b = lower(m_bank.child(term, 1));
    if (left == m_types.integer() && right == left) {
        const ir::ValueRange exact = rangeOf(op, a.range, b.range);
        const auto isDivisor = [&](std::int64_t value) {
            return m_bank.payload(m_bank.child(term, 1)) == ir::Payload::integer(value);
        };
        const bool divisorIsKnown =
            m_bank.is(m_bank.child(term, 1), ir::CoreOp::Literal) && !isDivisor(0) && !isDivisor(-1);
        const bool plain = op == Op::Div ? divisorIsKnown : exact.isBelow(LargestPlain);
        if (!plain) return Code{run(chosen.guarded, type, {a.expression, b.expression})};
        Code code = joined(chosen.symbol, type, a, b);
        code.range = ir::wrapped(exact, ir::Signed64);
        return code;
    }
    if (m_types.isNumeric(left) && m_types.isNumeric(right)) return joined(chosen.symbol, type, a, b);
    for (Code* code : {&a, &b}) {
        if (!code->plainInt) continue;
        code->expression = make(ExpressionKind::Convert, m_types.integer(), {}, {code->expression});
    }
    const bool isProduct = op == Op::Mul && m_types.isTensor(left) && m_types.isTensor(right);
    return Code{run(isProduct ? Operation::MatrixTimesVector : chosen.helper, type, {a.expression, b.expression})};
}

Code FunctionLowerer::standard(Operation operation, TermId term) {
    return Code{run(operation, m_bank.type(term), {lower(m_bank.child(term, 0)).expression})};
}

Code FunctionLowerer::lowerNumber(Op op, TermId term) {
    const TypeId type = m_bank.type(term);
    switch (op) {
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Div:
            if (isMadePointwise(term)) return pointwiseVector(term, {});
            return arithmetic(op, term);
        case Op::Mymul: return joinedChildren(Operator::Mul, term);
        case Op::Neg: {
            const Code a = lower(m_bank.child(term, 0));
            if (type == m_types.integer() && !a.range.isBelow(LargestPlain))
                return Code{run(Operation::Minus, type, {integer(0), a.expression})};
            return negated(a, type);
        }
        case Op::Gt: return comparison(Operator::Greater, term);
        case Op::Lt: return comparison(Operator::Less, term);
        case Op::Gte: return comparison(Operator::GreaterEqual, term);
        case Op::Lte: return comparison(Operator::LessEqual, term);
        case Op::Eq: return comparison(Operator::Equal, term);
        case Op::Ne: return comparison(Operator::NotEqual, term);
        case Op::And: return logical(Operator::And, term);
        case Op::Or: return logical(Operator::Or, term);
        case Op::Not: return Code{unary(Operator::Not, type, lower(m_bank.child(term, 0)).expression)};
        case Op::Log: return standard(Operation::Log, term);
        case Op::Exp:
            if (m_types.isTensor(type)) {
                const Code vector = lower(m_bank.child(term, 0));
                return Code{run(Operation::ExpParts, type, {consume(vector)})};
            }
            return standard(Operation::Exp, term);
        case Op::Sin: return standard(Operation::Sin, term);
        case Op::Cos: return standard(Operation::Cos, term);
        case Op::Tanh: return standard(Operation::Tanh, term);
        case Op::Cosh: return standard(Operation::Cosh, term);
        case Op::Sqrt: return standard(Operation::Sqrt, term);
        case Op::Erf: return standard(Operation::Erf, term);
        case Op::Lgamma: return standard(Operation::Lgamma, term);
        case Op::Abs: return standard(Operation::Abs, term);
        case Op::Max: {
            if (m_bank.childCount(term) == 1) {
                const ExpressionId v = stored(m_bank.child(term, 0), "v");
                return Code{element(v, std::vector{run(Operation::PlaceOfMax, m_types.integer(), {v})})};
            }
            const ExpressionId a = lower(m_bank.child(term, 0)).expression;
            const ExpressionId b = lower(m_bank.child(term, 1)).expression;
            // This order of operands gives the value that ks defines if one of them is NaN.
            return Code{run(Operation::Max, type, {b, a})};
        }
        case Op::Imax: return standard(Operation::PlaceOfMax, term);
        case Op::Pow: {
            const ExpressionId base = lower(m_bank.child(term, 0)).expression;
            const ExpressionId exponent = lower(m_bank.child(term, 1)).expression;
            return Code{run(Operation::Pow, type, {base, exponent})};
        }
        case Op::ToFloat: {
            const ExpressionId whole = lower(m_bank.child(term, 0)).expression;
            return Code{make(ExpressionKind::Convert, type, {}, {whole})};
        }
        case Op::BoolToFloat: {
            const ExpressionId condition = lower(m_bank.child(term, 0)).expression;
            return Code{choice(type, condition, floating(1.0), floating(0.0))};
        }
        case Op::Pi: return Code{floating(std::numbers::pi)};
        case Op::Dot: {
            const ExpressionId a = lower(m_bank.child(term, 0)).expression;
            const ExpressionId b = lower(m_bank.child(term, 1)).expression;
            return Code{run(Operation::Dot, type, {a, b})};
        }
        default: break;
    }
    throw without(m_bank.opName(term));
}

}  // namespace mitos::loops
