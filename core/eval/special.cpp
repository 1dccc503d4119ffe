// SPDX-License-Identifier: GPL-3.0-or-later
// Assertions, tangent space, effects, linear maps and the derivatives of fold (ks-language.md 5, 7).
#include "core/eval/internal/algebra.h"
#include "core/eval/internal/interpreter.h"
#include "core/eval/internal/linear_map.h"
#include "core/ks/loops.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace mitos::eval {

using ir::TermId;
using ks::Op;

double hashToUnit(std::int64_t i) {
    auto v = static_cast<std::uint64_t>(i);
    v = v * 3935559000370003845ULL + 2691343689449507681ULL;
    v ^= v >> 21U;
    v ^= v << 37U;
    v ^= v >> 4U;
    v *= 4768777513237032717ULL;
    v ^= v << 20U;
    v ^= v >> 41U;
    v ^= v << 5U;
    return 5.42101086242752217e-20 * static_cast<double>(v);
}

namespace {

constexpr std::size_t MaxPrinted = 16U << 20U;

void printList(std::string& out, const std::vector<Value>& elements, const char* separator) {
    const char* next = "";
    for (const Value& element : elements) {
        out += next;
        next = separator;
        printValue(out, element);
    }
}

}  // namespace

void printValue(std::string& out, const Value& value) {
    if (value.isFloat()) {
        out += fmt::format("{:g}", value.asFloat());
    } else if (value.isBool()) {
        out += value.asBool() ? "1" : "0";
    } else if (value.isString()) {
        out += value.asString();
    } else if (value.isTuple()) {
        printList(out, value.asTuple().elements, ",");
    } else if (value.isTensor()) {
        out += '[';
        printList(out, value.asTensor().elements, ", ");
        out += ']';
    } else {
        out += toString(value);
    }
}

Value Interpreter::computeSpecial(Op op, TermId term) {
    switch (op) {
        case Op::Assert:
            if (!eval(term, 0).asBool()) fail("an assertion does not hold");
            return eval(term, 1);
        case Op::TsAdd: {
            const Value x = eval(term, 0);
            return addTangent(m_meter, x, eval(term, 1));
        }
        case Op::TsScale: {
            const double factor = evalFloat(term, 0);
            return scale(m_meter, factor, eval(term, 1));
        }
        case Op::TsNeg: return scale(m_meter, -1.0, eval(term, 0));
        case Op::TsDot: {
            const Value x = eval(term, 0);
            return Value(dot(m_meter, x, eval(term, 1)));
        }
        case Op::Print: return print(term);
        case Op::Trace: {
            Value value = eval(term, 0);
            m_printed += "Trace[";
            printValue(m_printed, value);
            m_printed += "]";
            return value;
        }
        case Op::Inline:
        case Op::Copydown: return eval(term, 0);
        case Op::Check: return check(term);
        case Op::Ranhashdoub: return Value(hashToUnit(evalInteger(term, 0)));
        case Op::Bench: return bench(term);
        case Op::Elim: static_cast<void>(eval(term, 0)); return {};
        case Op::Dup: {
            const auto count = static_cast<std::size_t>(m_bank.payload(term).asInteger());
            return m_meter.tuple(TupleValue{std::vector<Value>(count, eval(term, 0))});
        }
        case Op::Apply: return applyTo(term, 0, eval(term, 1));
        case Op::FFold: return forwardFold(term);
        case Op::RFold: return reverseFold(term);
        case Op::Loop: return loop(term);
        default: return computeLinearMap(op, term);
    }
}

Value Interpreter::print(TermId term) {
    const auto count = static_cast<std::uint32_t>(m_bank.childCount(term));
    for (std::uint32_t i = 0; i < count; ++i) printValue(m_printed, eval(term, i));
    if (m_printed.size() > MaxPrinted) {
        throw Failure{ErrorCode::Limit, fmt::format("more than {} MiB were printed", MaxPrinted >> 20U), {}};
    }
    return Value(static_cast<std::int64_t>(count) - 1);
}

Value Interpreter::check(TermId term) {
    const Value x = eval(term, 2);
    const Value dx = eval(term, 3);
    const Value df = eval(term, 4);
    const Value moved = asTangent(m_meter, applyTo(term, 0, addTangent(m_meter, x, dx)));
    const Value still = asTangent(m_meter, applyTo(term, 0, x));
    const double d1 = dot(m_meter, combine(m_meter, Arithmetic::Sub, moved, still), df);
    const double d2 = dot(m_meter, applyTo(term, 1, m_meter.pair(x, df)), dx);
    return Value(std::abs(d1 - d2) / (std::abs(d1) + std::abs(d2)));
}

Value Interpreter::bench(TermId term) {
    const auto start = std::chrono::steady_clock::now();
    static_cast<void>(applyTo(term, 0, Value()));
    return Value(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

Value Interpreter::computeLinearMap(Op op, TermId term) {
    const auto zero = [&](std::uint32_t child) { return zeroTangent(m_meter, eval(term, child)); };
    const auto tangent = [&](std::uint32_t child) { return asTangent(m_meter, eval(term, child)); };
    const auto allMaps = [&] {
        std::vector<Value> maps;
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) maps.push_back(eval(term, i));
        return maps;
    };
    LinearMapValue map;
    switch (op) {
        case Op::LmZero: map = {.kind = LinearMapKind::Zero, .values = {zero(0), zero(1)}}; break;
        case Op::LmOne: static_cast<void>(eval(term, 0)); break;
        case Op::LmScale:
            static_cast<void>(eval(term, 0));
            map = {.kind = LinearMapKind::Scale, .factor = evalFloat(term, 1)};
            break;
        case Op::LmScaleR: map = {.kind = LinearMapKind::ScaleR, .values = {tangent(0)}}; break;
        case Op::LmDot: map = {.kind = LinearMapKind::Dot, .values = {tangent(0)}}; break;
        case Op::LmCompose: map = {.kind = LinearMapKind::Compose, .maps = allMaps()}; break;
        case Op::LmAdd: map = {.kind = LinearMapKind::Add, .maps = allMaps()}; break;
        case Op::LmVCat: map = {.kind = LinearMapKind::VCat, .maps = allMaps()}; break;
        case Op::LmHCat: map = {.kind = LinearMapKind::HCat, .maps = allMaps()}; break;
        case Op::LmVCatV:
        case Op::LmHCatV: {
            const Value maps = eval(term, 0);
            map = {.kind = op == Op::LmVCatV ? LinearMapKind::VCatV : LinearMapKind::HCatV,
                   .maps = maps.asTensor().elements,
                   .dims = maps.asTensor().dims};
            break;
        }
        case Op::LmApply: {
            const Value f = eval(term, 0);
            return applyMap(m_meter, f.asLinearMap(), eval(term, 1));
        }
        case Op::LmApplyR: {
            const Value dt = eval(term, 0);
            const Value f = eval(term, 1);
            return applyTransposed(m_meter, f.asLinearMap(), dt);
        }
        case Op::LmFold: fail("lmFold is not evaluated", "its applications FFold and RFold are: use those");
        default: failUnsupported(m_bank.opName(term));
    }
    m_meter.spend(map.maps.size());
    return makeLinearMap(std::move(map));
}

/// Children: the bound, the first state, f of (k, state), which gives (done, next state).
Value Interpreter::loop(TermId term) {
    const std::int64_t bound = evalInteger(term, 0);
    Value state = eval(term, 1);
    std::int64_t k = 0;
    bool isDone = false;
    while (k < bound && !isDone) {
        const Value step = applyTo(term, 2, m_meter.pair(Value(k), std::move(state)));
        isDone = step.asTuple().elements[0].asBool();
        state = step.asTuple().elements[1];
        if (!isDone) ++k;
    }
    return m_meter.pair(Value(k), std::move(state));
}

/// Children: f, a, v, f's forward derivative of ((a, e), (da, de)), da, dv.
Value Interpreter::forwardFold(TermId term) {
    Value state = eval(term, 1);
    const Value vector = eval(term, 2);
    Value dState = eval(term, 4);
    const Value dVector = eval(term, 5);
    const TensorValue& v = vector.asTensor();
    const TensorValue& dv = dVector.asTensor();
    if (v.dims != dv.dims) {
        fail(fmt::format("FFold: the vector has size {}, its tangent {}", sizesText(v.dims), sizesText(dv.dims)));
    }
    for (std::size_t i = 0; i < v.elements.size(); ++i) {
        const Value point = m_meter.pair(state, v.elements[i]);
        dState = applyTo(term, 3, m_meter.pair(point, m_meter.pair(dState, dv.elements[i])));
        state = applyTo(term, 0, point);
    }
    return dState;
}

/// Children: a zero tangent of what f captures, f, f's reverse derivative of ((a, e), dr), a, v, dr. If f gives (a, kept), f's reverse
/// derivative is one of ((a, e), dr, kept).
Value Interpreter::reverseFold(TermId term) {
    Value captured = eval(term, 0);
    Value state = eval(term, 3);
    const Value vector = eval(term, 4);
    Value dState = eval(term, 5);
    const std::vector<Value>& elements = vector.asTensor().elements;
    const auto typeOf = [&](std::uint32_t i) { return m_bank.type(m_bank.child(term, i)); };
    const bool isKeeping = ks::keptByStep(m_bank.types(), typeOf(1), typeOf(3)).isValid();
    const Meter::Reservation room(m_meter, (isKeeping ? 3 : 2) * elements.size());
    std::vector<Value> points;
    std::vector<Value> kept;
    points.reserve(elements.size());
    for (const Value& element : elements) {
        points.push_back(m_meter.pair(state, element));
        state = applyTo(term, 1, points.back());
        if (!isKeeping) continue;
        const TupleValue pair = state.asTuple();
        state = pair.elements[0];
        kept.push_back(pair.elements[1]);
    }
    std::vector<Value> dVector(elements.size());
    for (std::size_t i = elements.size(); i-- > 0;) {
        const Value argument =
            isKeeping ? m_meter.tuple(TupleValue{{points[i], dState, kept[i]}}) : m_meter.pair(points[i], dState);
        const Value result = applyTo(term, 2, argument);
        captured = accumulate(m_meter, captured, result.asTuple().elements[0]);
        const TupleValue& dPoint = result.asTuple().elements[1].asTuple();
        dState = dPoint.elements[0];
        dVector[i] = dPoint.elements[1];
    }
    return m_meter.pair(captured,
                        m_meter.pair(dState, m_meter.tensor(TensorValue{vector.asTensor().dims, std::move(dVector)})));
}

}  // namespace mitos::eval
