// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic, comparisons, logic and functions of Floats as C++ expressions.
#include "core/codegen/internal/emitter.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::codegen {

using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// Sums, differences and products below this magnitude are plain C++.
constexpr double LargestPlain = 0x1p62;

/// The range of an operation on two Integers of these ranges, before it wraps.
ir::ValueRange rangeOf(Op op, const ir::ValueRange& a, const ir::ValueRange& b) {
    switch (op) {
        case Op::Add: return sum(a, b);
        case Op::Sub: return sum(a, negated(b));
        case Op::Mul: return product(a, b);
        default: return truncatedQuotient(a, b);
    }
}

}  // namespace

std::string FunctionEmitter::wrapped(const Code& code, Precedence least) {
    return code.precedence < least ? "(" + code.text + ")" : code.text;
}

Code FunctionEmitter::binary(const char* symbol, Precedence precedence, TermId term, bool associative) {
    const Code left = emit(m_bank.child(term, 0));
    const Code right = emit(m_bank.child(term, 1));
    return joined(symbol, precedence, left, right, associative && m_bank.type(term) == m_types.integer());
}

Code FunctionEmitter::joined(const char* symbol, Precedence precedence, Code left, const Code& right,
                             bool associative) {
    // Products and sums of int literals are 64 bits wide in ks.
    if (left.plainInt && right.plainInt) left = Code{fmt::format("{}{{{}}}", type(m_types.integer()), left.text)};
    const auto next = static_cast<Precedence>(precedence + 1);
    // A sign or an operand of the same strength on the right side keeps its parentheses.
    const Precedence rightLeast = associative ? precedence : next;
    const std::string rightText = right.text.starts_with('-') ? "(" + right.text + ")" : wrapped(right, rightLeast);
    return Code{fmt::format("{} {} {}", wrapped(left, precedence), symbol, rightText), precedence};
}

Code FunctionEmitter::comparison(const char* symbol, Precedence precedence, TermId term) {
    const Code left = emit(m_bank.child(term, 0));
    const Code right = emit(m_bank.child(term, 1));
    std::string leftText = wrapped(left, Additive);
    const std::string rightText = wrapped(right, Additive);
    if (leftText == rightText) leftText = ksCall("copy", left.text);
    return Code{fmt::format("{} {} {}", leftText, symbol, rightText), precedence};
}

Code FunctionEmitter::arithmetic(Op op, TermId term) {
    struct Operator {
        const char* symbol;
        Precedence precedence;
        bool associative;
        const char* helper;   // for tuples and tensors
        const char* guarded;  // for Integers that may be too large, or zero
    };
    const Operator chosen = op == Op::Add   ? Operator{"+", Additive, true, "add", "plus"}
                            : op == Op::Sub ? Operator{"-", Additive, false, "sub", "minus"}
                            : op == Op::Mul ? Operator{"*", Multiplicative, true, "mul", "times"}
                                            : Operator{"/", Multiplicative, false, "div", "quotient"};
    const TypeId left = m_bank.type(m_bank.child(term, 0));
    const TypeId right = m_bank.type(m_bank.child(term, 1));
    Code a = emit(m_bank.child(term, 0));
    Code b = emit(m_bank.child(term, 1));
    if (left == m_types.integer() && right == left) {
        const ir::ValueRange exact = rangeOf(op, a.range, b.range);
        const bool divisorIsKnown = m_bank.is(m_bank.child(term, 1), ir::CoreOp::Literal) && b.text != "0";
        const bool plain = op == Op::Div ? divisorIsKnown && b.text != "-1" : exact.isBelow(LargestPlain);
        if (!plain) return Code{ksCall(chosen.guarded, a.text + ", " + b.text)};
        // 2 * (i / 2 * 3) is not 2 * i / 2 * 3.
        TermId first = m_bank.child(term, 1);
        while (is(m_bank, first, Op::Mul)) first = m_bank.child(first, 0);
        const bool isQuotient = is(m_bank, first, Op::Div);
        Code code = joined(chosen.symbol, chosen.precedence, std::move(a), b, chosen.associative && !isQuotient);
        code.range = ir::wrapped(exact, ir::Signed64);
        return code;
    }
    if (m_types.isNumeric(left) && m_types.isNumeric(right)) {
        return joined(chosen.symbol, chosen.precedence, std::move(a), b, false);
    }
    for (Code* code : {&a, &b}) {
        if (code->plainInt) code->text = fmt::format("{}{{{}}}", type(m_types.integer()), code->text);
    }
    if (op == Op::Mul && m_types.isTensor(left) && m_types.isTensor(right)) {
        return Code{ksCall("matVec", a.text + ", " + b.text)};
    }
    return Code{ksCall(chosen.helper, a.text + ", " + b.text)};
}

Code FunctionEmitter::standard(const char* function, TermId term) {
    m_helpers.needHeader("cmath");
    return Code{fmt::format("std::{}({})", function, emit(m_bank.child(term, 0)).text)};
}

Code FunctionEmitter::emitNumber(Op op, TermId term) {
    switch (op) {
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Div:
            if (pointwiseOperations(term) > 1) return pointwiseVector(term, {});
            return arithmetic(op, term);
        case Op::Mymul: return binary("*", Multiplicative, term, true);
        case Op::Neg: {
            const Code a = emit(m_bank.child(term, 0));
            if (m_bank.type(term) == m_types.integer() && !a.range.isBelow(LargestPlain))
                return Code{ksCall("minus", "0, " + a.text)};
            return Code{a.text.starts_with('-') ? fmt::format("-({})", a.text) : "-" + wrapped(a, Unary), Unary,
                        Form::Value, a.plainInt, negated(a.range)};
        }
        case Op::Gt: return comparison(">", Relational, term);
        case Op::Lt: return comparison("<", Relational, term);
        case Op::Gte: return comparison(">=", Relational, term);
        case Op::Lte: return comparison("<=", Relational, term);
        case Op::Eq: return comparison("==", Equality, term);
        case Op::Ne: return comparison("!=", Equality, term);
        case Op::And:
        case Op::Or: {
            const Code a = emit(m_bank.child(term, 0));
            const Code b = emit(m_bank.child(term, 1));
            // Operands with equal text would cause compiler warnings; && within || keeps its parentheses.
            const std::string left = a.text == b.text ? ksCall("copy", a.text) : wrapped(a, Equality);
            return Code{fmt::format("{} {} {}", left, op == Op::And ? "&&" : "||", wrapped(b, Equality)),
                        op == Op::And ? LogicalAnd : LogicalOr};
        }
        case Op::Not: return Code{"!" + wrapped(emit(m_bank.child(term, 0)), Unary), Unary};
        case Op::Log: return standard("log", term);
        case Op::Exp:
            if (m_types.isTensor(m_bank.type(term)))
                return Code{ksCall("mapExp", consume(emit(m_bank.child(term, 0))))};
            return standard("exp", term);
        case Op::Sin: return standard("sin", term);
        case Op::Cos: return standard("cos", term);
        case Op::Tanh: return standard("tanh", term);
        case Op::Cosh: return standard("cosh", term);
        case Op::Sqrt: return standard("sqrt", term);
        case Op::Erf: return standard("erf", term);
        case Op::Lgamma: return standard("lgamma", term);
        case Op::Abs: return standard("abs", term);
        case Op::Max: {
            if (m_bank.childCount(term) == 1) {
                const std::string v = stored(m_bank.child(term, 0), "v");
                return Code{fmt::format("{}[{}]", v, ksCall("argMax", v))};
            }
            m_helpers.needHeader("algorithm");
            const Code a = emit(m_bank.child(term, 0));
            const Code b = emit(m_bank.child(term, 1));
            // This order of arguments gives the value that ks defines if one of them is NaN.
            return Code{fmt::format("std::max({}, {})", b.text, a.text)};
        }
        case Op::Imax: return Code{ksCall("argMax", emit(m_bank.child(term, 0)).text)};
        case Op::Pow: {
            m_helpers.needHeader("cmath");
            const Code base = emit(m_bank.child(term, 0));
            const Code exponent = emit(m_bank.child(term, 1));
            return Code{fmt::format("std::pow({}, {})", base.text, exponent.text)};
        }
        case Op::ToFloat: return Code{fmt::format("static_cast<double>({})", emit(m_bank.child(term, 0)).text)};
        case Op::BoolToFloat:
            return Code{fmt::format("{} ? 1.0 : 0.0", wrapped(emit(m_bank.child(term, 0)), LogicalOr)), Conditional};
        case Op::Pi: return Code{"3.141592653589793"};
        case Op::Dot: {
            const Code a = emit(m_bank.child(term, 0));
            const Code b = emit(m_bank.child(term, 1));
            return Code{ksCall("tsDot", a.text + ", " + b.text)};
        }
        default: break;
    }
    throw Unsupported{fmt::format("{} has no C++", m_bank.opName(term)), {}};
}

}  // namespace mitos::codegen
