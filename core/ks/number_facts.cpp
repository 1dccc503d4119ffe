// SPDX-License-Identifier: GPL-3.0-or-later
// Transfer rules of control, arithmetic, comparisons and functions of numbers (ks-language.md 6).
#include "core/ks/internal/operator_rules.h"

#include <bit>
#include <limits>
#include <numbers>
#include <optional>

namespace mitos::ks {

using ir::Certainty;
using ir::Size;
using ir::TypeId;
using ir::ValueId;
using ir::ValueKind;
using ir::ValueRange;

namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();

using WholeOperation = bool (*)(std::int64_t, std::int64_t, std::int64_t&);
using RangeOperation = ValueRange (*)(const ValueRange&, const ValueRange&);

/// The Integer that an operation gives for two constants; nothing if an operand is not known, or if the operation wraps or fails.
std::optional<std::int64_t> folded(Operands in, WholeOperation operation) {
    if (in.operand(0).kind != ValueKind::Integer || in.operand(1).kind != ValueKind::Integer) return std::nullopt;
    std::int64_t result = 0;
    if (!operation(in.operand(0).bits, in.operand(1).bits, result)) return std::nullopt;
    return result;
}

[[nodiscard]] bool isStructured(Operands in, TypeId type) { return in.types.isTensor(type) || in.types.isTuple(type); }

/// The result of arithmetic on two numbers, on two values of one shape, or on a number and every part of a value.
OperationFacts arithmetic(Operands in, WholeOperation onWhole, RangeOperation onRanges) {
    if (const std::optional<std::int64_t> known = folded(in, onWhole)) return {in.values.integer(*known)};
    const auto range = [&] { return onRanges(in.range(0), in.range(1)); };
    if (!isStructured(in, in.type)) {
        const ValueId result = number(in, range);
        if (in.type != in.types.integer() || !in.values.tracksNumbers()) return {result};
        const OperationFacts facts{in.values.scalar(
            in.values.range(result),
            in.values.combined(in.opId, in.values.identity(in.operands[0]), in.values.identity(in.operands[1])))};
        return facts;
    }
    const bool hasTwoShapes = isStructured(in, in.operandTypes[0]) && isStructured(in, in.operandTypes[1]);
    const bool isFirst = in.operandTypes[0] == in.type;
    const ValueId own = in.operands[isFirst ? 0 : 1];
    const ValueId like = hasTwoShapes && in.values.tracksNumbers() ? in.values.agreeing(own, in.operands[1]) : own;
    const ValueId result =
        in.values.tracksNumbers() ? filled(in, like, in.type, range()) : in.values.shapeOf(like, in.types, in.type);
    return {result, unless(!hasTwoShapes || in.values.haveSameSizes(in.operands[0], in.operands[1]))};
}

template <typename Compare>
OperationFacts comparison(Operands in, Compare compare) {
    const ir::AbstractValue& a = in.operand(0);
    const ir::AbstractValue& b = in.operand(1);
    if (a.kind == ValueKind::Integer && b.kind == a.kind) return {in.values.boolean(compare(a.bits, b.bits))};
    if (a.kind == ValueKind::Float && b.kind == a.kind) {
        return {in.values.boolean(compare(std::bit_cast<double>(a.bits), std::bit_cast<double>(b.bits)))};
    }
    return {in.values.unknown()};
}

OperationFacts equality(Operands in, bool isEqual) {
    const ir::AbstractValue& a = in.operand(0);
    const ir::AbstractValue& b = in.operand(1);
    if (a.kind == ValueKind::Bool && b.kind == a.kind) return {in.values.boolean((a.bits == b.bits) == isEqual)};
    return comparison(in, [isEqual](auto x, auto y) { return (x == y) == isEqual; });
}

/// A function of one Float that is defined for all numbers.
template <typename F>
OperationFacts function(Operands in, F range) {
    return {number(in, [&] { return range(in.range(0)); })};
}

}  // namespace

ValueId filled(Operands in, ValueId like, TypeId type, const ValueRange& range) {
    ir::AbstractValue value = in.values[like];
    if (value.kind == ValueKind::Tuple || value.kind == ValueKind::Tensor) {
        for (std::size_t i = 0; i < value.parts.size(); ++i) {
            const TypeId part = value.kind == ValueKind::Tensor ? in.types.element(type) : in.types.children(type)[i];
            value.parts[i] = filled(in, value.parts[i], part, range);
        }
        return in.values.intern(std::move(value));
    }
    const auto limits = ir::AbstractValues::wholeLimits(in.types, type);
    return in.values.scalar(limits ? ir::wrapped(range, *limits) : range);
}

OperationFacts factsOfTotal(Operands in) { return {in.anything()}; }
OperationFacts factsOfIdentity(Operands in) { return {in.results[0]}; }

OperationFacts factsOfIf(Operands in) {
    if (const std::optional<bool> condition = in.values.truth(in.operands[0])) return {in.results[*condition ? 1 : 2]};
    return {in.values.join(in.results[1], in.results[2])};
}

OperationFacts factsOfAssert(Operands in) {
    const std::optional<bool> condition = in.values.truth(in.operands[0]);
    return {in.results[1], unless(condition == true, condition == false)};
}

OperationFacts factsOfAdd(Operands in) {
    return arithmetic(
        in, [](std::int64_t a, std::int64_t b, std::int64_t& r) { return !__builtin_add_overflow(a, b, &r); },
        [](const ValueRange& a, const ValueRange& b) { return sum(a, b); });
}

OperationFacts factsOfSub(Operands in) {
    if (in.values.tracksNumbers() && in.isSame(0, 1)) {
        return {filled(in, in.operands[0], in.type, ValueRange::exactly(0.0))};
    }
    return arithmetic(
        in, [](std::int64_t a, std::int64_t b, std::int64_t& r) { return !__builtin_sub_overflow(a, b, &r); },
        [](const ValueRange& a, const ValueRange& b) { return sum(a, negated(b)); });
}

OperationFacts factsOfMul(Operands in) {
    const ir::AbstractValue& a = in.operand(0);
    const ir::AbstractValue& b = in.operand(1);
    if (in.types.isTensor(in.operandTypes[0]) && in.types.isTensor(in.operandTypes[1])) {  // matrix times vector
        if (a.kind != ValueKind::Tensor || b.kind != ValueKind::Tensor || a.sizes.size() != 2) {
            return {in.anything(), Certainty::Maybe};
        }
        const bool fits = b.sizes.size() == 1 && a.sizes[1].isKnown() && a.sizes[1] == b.sizes[0];
        const ir::Sizes rows{a.sizes[0]};
        return {in.values.tensor(rows, in.values.scalar({})), unless(fits)};
    }
    if (in.values.tracksNumbers() && in.isSame(0, 1) && !isStructured(in, in.type)) {
        return {number(in, [&] { return square(in.range(0)); })};
    }
    return arithmetic(
        in, [](std::int64_t x, std::int64_t y, std::int64_t& r) { return !__builtin_mul_overflow(x, y, &r); },
        [](const ValueRange& x, const ValueRange& y) { return product(x, y); });
}

OperationFacts factsOfDiv(Operands in) {
    const bool isWhole = in.operandTypes[1] == in.types.integer();
    OperationFacts facts = arithmetic(
        in,
        [](std::int64_t a, std::int64_t b, std::int64_t& r) {
            if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return false;
            r = a / b;
            return true;
        },
        isWhole ? RangeOperation([](const ValueRange& a, const ValueRange& b) { return truncatedQuotient(a, b); })
                : RangeOperation([](const ValueRange& a, const ValueRange& b) { return quotient(a, b); }));
    if (!in.values.tracksNumbers()) return facts;
    if (in.isSame(0, 1) && !isStructured(in, in.type)) facts.value = in.values.scalar(ValueRange::exactly(1.0));
    const ValueRange divisor = in.range(1);
    const Certainty hasNone = unless(divisor.excludesZero(), divisor.isZero());
    (isWhole ? facts.fails : facts.isUndefined) = hasNone;
    return facts;
}

OperationFacts factsOfNeg(Operands in) {
    if (in.operand(0).kind == ValueKind::Integer && in.operand(0).bits != std::numeric_limits<std::int64_t>::min()) {
        return {in.values.integer(-in.operand(0).bits)};
    }
    return function(in, ir::negated);
}

OperationFacts factsOfGt(Operands in) {
    return comparison(in, [](auto a, auto b) { return a > b; });
}
OperationFacts factsOfLt(Operands in) {
    return comparison(in, [](auto a, auto b) { return a < b; });
}
OperationFacts factsOfGte(Operands in) {
    return comparison(in, [](auto a, auto b) { return a >= b; });
}
OperationFacts factsOfLte(Operands in) {
    return comparison(in, [](auto a, auto b) { return a <= b; });
}
OperationFacts factsOfEq(Operands in) { return equality(in, true); }
OperationFacts factsOfNe(Operands in) { return equality(in, false); }

OperationFacts factsOfAnd(Operands in) {
    const std::optional<bool> a = in.values.truth(in.operands[0]);
    const std::optional<bool> b = in.values.truth(in.operands[1]);
    return {a && b ? in.values.boolean(*a && *b) : in.values.unknown()};
}

OperationFacts factsOfOr(Operands in) {
    const std::optional<bool> a = in.values.truth(in.operands[0]);
    const std::optional<bool> b = in.values.truth(in.operands[1]);
    return {a && b ? in.values.boolean(*a || *b) : in.values.unknown()};
}

OperationFacts factsOfNot(Operands in) {
    const std::optional<bool> a = in.values.truth(in.operands[0]);
    return {a ? in.values.boolean(!*a) : in.values.unknown()};
}

OperationFacts factsOfLog(Operands in) {
    OperationFacts facts = function(in, ir::logarithm);
    facts.isUndefined = unless(in.range(0).isPositive(), in.range(0).isNonpositive());
    return facts;
}

OperationFacts factsOfExp(Operands in) {
    if (!in.types.isTensor(in.type)) return function(in, ir::exponential);
    if (!in.values.tracksNumbers()) return {in.values.shapeOf(in.operands[0], in.types, in.type)};
    return {filled(in, in.operands[0], in.type, exponential(in.range(0)))};
}

OperationFacts factsOfWave(Operands in) {
    return function(in, [](const ValueRange&) { return ValueRange{-1.0, 1.0, false}; });
}

OperationFacts factsOfSigmoid(Operands in) { return function(in, ir::oddUnitRange); }

OperationFacts factsOfCosh(Operands in) {
    return function(in, [](const ValueRange&) { return ValueRange{1.0, Infinity, true}; });
}

OperationFacts factsOfSqrt(Operands in) {
    OperationFacts facts = function(in, ir::squareRoot);
    facts.isUndefined = unless(in.range(0).isNonnegative(), in.range(0).isNegative());
    return facts;
}

OperationFacts factsOfLgamma(Operands in) {
    return {number(in, [] { return ValueRange(); }), Certainty::Never, unless(in.range(0).isPositive())};
}

OperationFacts factsOfAbs(Operands in) { return function(in, ir::absolute); }

OperationFacts factsOfMax(Operands in) {
    if (in.operands.size() == 2) return {number(in, [&] { return larger(in.range(0), in.range(1)); })};
    const ValueId result = number(in, [&] { return in.range(0); });
    const std::optional<std::int64_t> size =
        in.isTensor(0) && !in.operand(0).sizes.empty() ? in.operand(0).sizes[0].number() : std::nullopt;
    return {result, unless(size && *size > 0, size == 0)};
}

OperationFacts factsOfImax(Operands in) {
    if (!in.isTensor(0) || in.type != in.types.integer()) return {in.anything(), Certainty::Maybe};
    const Size size = in.operand(0).sizes[0];
    return {in.values.indexBelow(size), unless(size.number() && *size.number() > 0, size.number() == 0)};
}

OperationFacts factsOfPow(Operands in) {
    const ValueRange base = in.range(0);
    const ValueRange exponent = in.range(1);
    const bool isDefined = exponent.isNonnegative() || base.excludesZero();
    return {number(in, [&] { return power(base, exponent); }), Certainty::Never,
            unless(isDefined, base.isZero() && exponent.isNegative())};
}

OperationFacts factsOfToFloat(Operands in) {
    if (in.operand(0).kind == ValueKind::Integer) {
        return {in.values.floating(static_cast<double>(in.operand(0).bits))};
    }
    return function(in, [](const ValueRange& a) { return a; });
}

OperationFacts factsOfBoolToFloat(Operands in) {
    return function(in, [](const ValueRange&) { return ValueRange{0.0, 1.0, false}; });
}

OperationFacts factsOfPi(Operands in) {
    return {number(in, [] { return ValueRange::exactly(std::numbers::pi); })};
}

OperationFacts factsOfDot(Operands in) {
    const ValueId result = number(in, [&] {
        if (in.isSame(0, 1)) return ValueRange{0.0, Infinity, false};
        const ValueRange summand = product(in.range(0), in.range(1));
        return ValueRange{summand.isNonnegative() ? 0.0 : -Infinity, summand.isNonpositive() ? 0.0 : Infinity, false};
    });
    const bool fits = in.isSame(0, 1) || in.values.haveSameSizes(in.operands[0], in.operands[1]);
    return {result, unless(fits)};
}

OperationFacts factsOfRanhashdoub(Operands in) {
    return {number(in, [] { return ValueRange{0.0, 1.0, false}; })};
}

}  // namespace mitos::ks
