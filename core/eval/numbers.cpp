// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic, comparisons, logic and functions of Floats (ks-language.md 6).
#include "core/eval/internal/algebra.h"
#include "core/eval/internal/interpreter.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace mitos::eval {

using ir::TermId;
using ks::Op;

namespace {

Arithmetic arithmetic(Op op) {
    switch (op) {
        case Op::Add: return Arithmetic::Add;
        case Op::Sub: return Arithmetic::Sub;
        case Op::Mul: return Arithmetic::Mul;
        default: return Arithmetic::Div;
    }
}

const std::vector<Value>& nonEmpty(const Value& vector, const char* what) {
    const std::vector<Value>& elements = vector.asTensor().elements;
    if (elements.empty()) fail(fmt::format("{} of an empty vector", what));
    return elements;
}

std::size_t firstLargest(const std::vector<Value>& elements) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < elements.size(); ++i) {
        if (elements[i].asFloat() > elements[best].asFloat()) best = i;
    }
    return best;
}

template <typename T>
bool ordered(Op op, T a, T b) {
    switch (op) {
        case Op::Gt: return a > b;
        case Op::Lt: return a < b;
        case Op::Gte: return a >= b;
        default: return a <= b;
    }
}

}  // namespace

Value Interpreter::computeNumber(Op op, TermId term) {
    switch (op) {
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Div: {
            const Value a = eval(term, 0);
            const Value b = eval(term, 1);
            if (a.isFloat() && b.isFloat()) return Value(calculate(m_meter, arithmetic(op), a.asFloat(), b.asFloat()));
            if (op == Op::Mul && a.isTensor() && b.isTensor()) return matrixTimesVector(a.asTensor(), b.asTensor());
            return combine(m_meter, arithmetic(op), a, b);
        }
        case Op::Neg: {
            const Value a = eval(term, 0);
            if (a.isFloat()) return Value(m_meter.exact(-a.asFloat()));
            return Value(calculate(Arithmetic::Sub, std::int64_t{0}, a.asInteger()));
        }
        case Op::Gt:
        case Op::Lt:
        case Op::Gte:
        case Op::Lte:
        case Op::Eq:
        case Op::Ne: return comparison(op, term);
        case Op::And:
        case Op::Or: {
            const bool a = eval(term, 0).asBool();
            const bool b = eval(term, 1).asBool();
            return Value(op == Op::And ? a && b : a || b);
        }
        case Op::Not: return Value(!eval(term, 0).asBool());
        case Op::ToFloat: return Value(rounded(evalInteger(term, 0)));
        case Op::BoolToFloat: return Value(eval(term, 0).asBool() ? 1.0 : 0.0);
        case Op::Pi: return Value(std::numbers::pi);
        default: return floatFunction(op, term);
    }
}

double Interpreter::rounded(std::int64_t number) const {
    const auto result = static_cast<double>(number);
    constexpr double End = 0x1p63;
    const bool isExact = result < End && static_cast<std::int64_t>(result) == number;
    return m_meter.made(result, result, 0.0, true, number == 0, isExact);
}

Value Interpreter::comparison(Op op, TermId term) {
    const Value a = eval(term, 0);
    const Value b = eval(term, 1);
    if (op == Op::Eq || op == Op::Ne) return Value(equal(m_meter, a, b) == (op == Op::Eq));
    if (a.isFloat()) return Value(ordered(op, a.asFloat(), b.asFloat()));
    return Value(ordered(op, a.asInteger(), b.asInteger()));
}

Value Interpreter::floatFunction(Op op, TermId term) {
    const Value a = eval(term, 0);
    const auto made = [&](double result, bool isDefined, bool isZero) {
        return Value(m_meter.made(result, a.asFloat(), 0.0, isDefined, isZero));
    };
    switch (op) {
        case Op::Log: return made(std::log(a.asFloat()), a.asFloat() > 0.0, a.asFloat() == 1.0);
        case Op::Exp:
            if (a.isFloat()) return made(std::exp(a.asFloat()), true, false);
            return mapTensor(m_meter, a.asTensor(), [this](const Value& x) {
                return Value(m_meter.made(std::exp(x.asFloat()), x.asFloat(), 0.0, true, false));
            });
        case Op::Sin: return made(std::sin(a.asFloat()), true, a.asFloat() == 0.0);
        case Op::Cos: return made(std::cos(a.asFloat()), true, false);
        case Op::Tanh: return made(std::tanh(a.asFloat()), true, a.asFloat() == 0.0);
        case Op::Cosh: return made(std::cosh(a.asFloat()), true, false);
        case Op::Sqrt: return made(std::sqrt(a.asFloat()), a.asFloat() >= 0.0, a.asFloat() == 0.0);
        case Op::Erf: return made(std::erf(a.asFloat()), true, a.asFloat() == 0.0);
        case Op::Lgamma: {
            int sign = 0;  // plain lgamma writes a global variable
            const double result = ::lgamma_r(a.asFloat(), &sign);
            return made(result, a.asFloat() > 0.0 || a.asFloat() != std::floor(a.asFloat()), result == 0.0);
        }
        case Op::Abs: return Value(std::abs(a.asFloat()));
        case Op::Max: {
            if (m_bank.childCount(term) == 1) {
                const auto& elements = nonEmpty(a, "the maximum");
                return elements[firstLargest(elements)];
            }
            const double b = evalFloat(term, 1);
            return Value(a.asFloat() > b ? a.asFloat() : b);
        }
        case Op::Imax: return Value(static_cast<std::int64_t>(firstLargest(nonEmpty(a, "the index of the maximum"))));
        case Op::Pow: {
            const auto exponent = static_cast<double>(evalInteger(term, 1));
            const bool isZero = a.asFloat() == 0.0;
            return made(std::pow(a.asFloat(), exponent), !isZero || exponent >= 0.0, isZero);
        }
        case Op::Dot: return Value(dot(m_meter, a, eval(term, 1)));
        case Op::Mymul: return Value(m_meter.product(a.asFloat(), evalFloat(term, 1)));
        default: break;
    }
    failUnsupported(m_bank.opName(term));
}

Value Interpreter::matrixTimesVector(const TensorValue& matrix, const TensorValue& vector) {
    const auto rows = static_cast<std::size_t>(matrix.dims[0]);
    const auto columns = static_cast<std::size_t>(matrix.dims[1]);
    if (matrix.dims[1] != vector.dims[0]) {
        fail(fmt::format("mul: a matrix of size {} and a vector of size {}", sizesText(matrix.dims),
                         sizesText(vector.dims)),
             "the vector's size must be the matrix's number of columns");
    }
    m_meter.spend(matrix.elements.size());
    const Meter::Reservation room(m_meter, rows);
    TensorValue product{{matrix.dims[0]}, {}};
    product.elements.reserve(rows);
    for (std::size_t r = 0; r < rows; ++r) {
        double sum = 0.0;
        for (std::size_t c = 0; c < columns; ++c) {
            const double summand =
                m_meter.product(matrix.elements[r * columns + c].asFloat(), vector.elements[c].asFloat());
            sum = m_meter.sum(sum, summand);
        }
        product.elements.emplace_back(sum);
    }
    return m_meter.tensor(std::move(product));
}

}  // namespace mitos::eval
