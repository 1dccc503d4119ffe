// SPDX-License-Identifier: GPL-3.0-or-later
// Transfer rules of tensors, loops and the tangent space (ks-language.md 6, 9).
#include "core/ks/internal/operator_rules.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::ks {

using ir::Certainty;
using ir::Size;
using ir::Sizes;
using ir::TypeId;
using ir::ValueId;
using ir::ValueKind;
using ir::ValueRange;

namespace {

/// How certainly an operand is no size: it, or a part of it, is negative.
Certainty isNoSize(Operands in, std::size_t operand) {
    const ValueRange range = in.range(operand);
    return unless(range.isNonnegative(), range.isNegative());
}

Certainty either(Certainty a, Certainty b) { return std::max(a, b); }

/// A value of the shape of `like` whose numbers lie in the range; without ranges, its shape.
template <typename F>
ValueId shaped(Operands in, ValueId like, TypeId type, F range) {
    return in.values.tracksNumbers() ? filled(in, like, type, range()) : in.values.shapeOf(like, in.types, type);
}

/// The elements of an operand, or zeros.
ValueId orZero(Operands in, ValueId element, TypeId type) {
    return shaped(in, element, type, [&] { return hull(in.values.range(element), ValueRange::exactly(0.0)); });
}

/// A value of the shape of `like` whose Floats lie in the range, and whose other numbers are those of `like`.
template <typename F>
ValueId onFloats(Operands in, ValueId like, TypeId type, F range) {
    const ir::TypeKind kind = in.types.kind(type);
    if (kind == ir::TypeKind::Float || !in.values.tracksNumbers()) return shaped(in, like, type, range);
    ir::AbstractValue value = in.values[like];
    if (value.kind != ValueKind::Tuple && value.kind != ValueKind::Tensor) return like;
    for (std::size_t i = 0; i < value.parts.size(); ++i) {
        const TypeId part = value.kind == ValueKind::Tensor ? in.types.element(type) : in.types.children(type)[i];
        value.parts[i] = onFloats(in, value.parts[i], part, range);
    }
    return in.values.intern(std::move(value));
}

/// The sum of `count` elements: fails for none, and for elements of different sizes.
OperationFacts sumOf(Operands in, ValueId element, std::optional<std::int64_t> count, bool isPositive) {
    const ValueId result = shaped(in, element, in.type, [&] { return repeated(in.values.range(element)); });
    return {result, unless(isPositive && in.values.haveSameSizes(element, element), count && *count <= 0)};
}

}  // namespace

OperationFacts factsOfBuild(Operands in) {
    return {in.values.tensor(in.values.sizesFrom(in.operands[0]), in.results[1]), isNoSize(in, 0)};
}

OperationFacts factsOfSumbuild(Operands in) {
    const ir::AbstractValue& count = in.operand(0);
    const std::optional<std::int64_t> number =
        count.kind == ValueKind::Integer ? std::optional(count.bits) : std::nullopt;
    return sumOf(in, in.results[1], number, in.range(0).low >= 1.0);
}

OperationFacts factsOfFold(Operands in) { return {in.values.join(in.results[1], in.results[0])}; }

OperationFacts factsOfMap(Operands in) {
    if (!in.isTensor(1)) return {in.anything()};
    return {in.values.tensor(in.operand(1).sizes, in.results[0])};
}

OperationFacts factsOfMap2(Operands in) {
    if (!in.isTensor(1) || !in.isTensor(2)) return {in.anything(), Certainty::Maybe};
    const Sizes sizes = in.operand(1).sizes;
    const bool areKnown = std::ranges::all_of(sizes, &Size::isKnown);
    return {in.values.tensor(sizes, in.results[0]),
            unless(in.isSame(1, 2) || (areKnown && sizes == in.operand(2).sizes))};
}

OperationFacts factsOfIndex(Operands in) {
    if (!in.isTensor(1)) return {in.anything(), Certainty::Maybe};
    const bool isInside = in.values.isInside(in.operands[0], in.operand(1).sizes);
    return {in.values.element(in.operands[1]), unless(isInside)};
}

OperationFacts factsOfSize(Operands in) {
    if (!in.isTensor(0)) return {in.anything()};
    return {in.values.sizeValue(in.operand(0).sizes)};
}

OperationFacts factsOfSum(Operands in) {
    if (!in.isTensor(0)) return {in.anything(), Certainty::Maybe};
    std::optional<std::int64_t> count = 1;
    for (const Size size : in.operand(0).sizes) {
        const std::optional<std::int64_t> number = size.number();
        count = count && number ? std::optional(std::min<std::int64_t>(*number, 1) * *count) : std::nullopt;
    }
    return sumOf(in, in.values.element(in.operands[0]), count, count && *count > 0);
}

OperationFacts factsOfUnzip(Operands in) {
    if (!in.isTensor(0)) return {in.anything()};
    const ir::AbstractValue outer = in.operand(0);
    const ir::AbstractValue element = in.values[outer.parts[0]];
    if (element.kind != ValueKind::Tuple) return {in.anything()};
    std::vector<ValueId> parts;
    for (const ValueId part : element.parts) parts.push_back(in.values.tensor(outer.sizes, part));
    return {in.values.tuple(parts)};
}

OperationFacts factsOfVecInit(Operands in) {
    ValueId all = in.results[0];
    for (const ValueId each : in.results) all = in.values.join(all, each);
    const Sizes count{Size::of(static_cast<std::int64_t>(in.results.size()))};
    return {in.values.tensor(count, all)};
}

OperationFacts factsOfConstVec(Operands in) { return factsOfBuild(in); }

OperationFacts factsOfDeltaVec(Operands in) {
    const ValueId element = orZero(in, in.results[2], in.operandTypes[2]);
    return {in.values.tensor(in.values.sizesFrom(in.operands[0]), element), isNoSize(in, 0)};
}

OperationFacts factsOfDelta(Operands in) { return {orZero(in, in.results[2], in.type)}; }

OperationFacts factsOfDiag(Operands in) {
    const TypeId number = in.types.element(in.types.element(in.type));
    const ValueId row = in.values.tensor(in.values.sizesFrom(in.operands[1]), orZero(in, in.results[2], number));
    return {in.values.tensor(in.values.sizesFrom(in.operands[0]), row), either(isNoSize(in, 0), isNoSize(in, 1))};
}

OperationFacts factsOfBuildFromSparse(Operands in) {
    const ir::AbstractValue pair = in.values[in.results[2]];
    if (!in.isTensor(0) || pair.kind != ValueKind::Tuple) return {in.anything(), Certainty::Maybe};
    // Numbers for one place are added up.
    const ValueId element = shaped(in, pair.parts[1], in.types.element(in.type), [] { return ValueRange(); });
    return {in.values.tensor(in.operand(0).sizes, element), Certainty::Maybe};
}

OperationFacts factsOfTsAdd(Operands in) {
    const ValueId like =
        in.values.tracksNumbers() ? in.values.agreeing(in.operands[0], in.operands[1]) : in.operands[0];
    const ValueId result = shaped(in, like, in.type, [&] { return ValueRange(); });
    if (in.type == in.types.floating() && in.values.tracksNumbers()) {
        return {number(in, [&] { return sum(in.range(0), in.range(1)); })};
    }
    return {result, unless(in.values.haveSameSizes(in.operands[0], in.operands[1]))};
}

OperationFacts factsOfTsScale(Operands in) {
    return {onFloats(in, in.operands[1], in.type, [&] { return product(in.range(0), in.range(1)); })};
}

OperationFacts factsOfTsNeg(Operands in) {
    return {onFloats(in, in.operands[0], in.type, [&] { return negated(in.range(0)); })};
}

OperationFacts factsOfDup(Operands in) {
    const std::vector<ValueId> copies(in.types.children(in.type).size(), in.results[0]);
    return {in.values.tuple(copies)};
}

OperationFacts factsOfApply(Operands in) { return {in.results[0]}; }

OperationFacts factsOfLoop(Operands in) {
    const ir::AbstractValue step = in.values[in.results[2]];
    const ValueId next = step.kind == ValueKind::Tuple ? step.parts[1] : in.results[1];
    const ValueId last = in.values.join(in.results[1], next);
    const TypeId state = in.types.children(in.type)[1];
    const ValueId known = in.values.tracksNumbers() ? last : in.values.shapeOf(last, in.types, state);
    return {in.values.tuple(std::vector{in.values.scalar(ir::sizeRange()), known})};
}

ValueId indexArgument(Operands in, std::size_t child) {
    if (!in.values.tracksNumbers()) return in.values.anyOfType(in.types, in.types.children(in.operandTypes[child])[0]);
    const Sizes sizes = in.values.sizesFrom(in.operands[0]);
    std::vector<ValueId> parts;
    for (const Size size : sizes) parts.push_back(in.values.indexBelow(size));
    return parts.size() == 1 ? parts[0] : in.values.tuple(parts);
}

ValueId sparseArgument(Operands in, std::size_t child) {
    if (!in.values.tracksNumbers()) return in.values.anyOfType(in.types, in.types.children(in.operandTypes[child])[0]);
    return in.values.indexBelow(in.values.sizeFrom(in.operands[1]));
}

ValueId elementArgument(Operands in, std::size_t child) {
    if (in.isTensor(1)) return in.values.element(in.operands[1]);
    return in.values.anyOfType(in.types, in.types.children(in.operandTypes[child])[0]);
}

ValueId elementsArgument(Operands in, std::size_t child) {
    if (!in.isTensor(1) || !in.isTensor(2)) {
        return in.values.anyOfType(in.types, in.types.children(in.operandTypes[child])[0]);
    }
    return in.values.tuple(std::vector{in.values.element(in.operands[1]), in.values.element(in.operands[2])});
}

ValueId foldArgument(Operands in, std::size_t child) {
    if (!in.isTensor(2)) return in.values.anyOfType(in.types, in.types.children(in.operandTypes[child])[0]);
    // Costs assume that the sizes of the state stay the same; in general any state may follow.
    const TypeId state = in.operandTypes[1];
    const ValueId current = in.values.tracksNumbers() ? in.values.anyOfType(in.types, state)
                                                      : in.values.shapeOf(in.operands[1], in.types, state);
    return in.values.tuple(std::vector{current, in.values.element(in.operands[2])});
}

ValueId loopArgument(Operands in, std::size_t /*child*/) {
    const TypeId state = in.operandTypes[1];
    const ValueId current = in.values.tracksNumbers() ? in.values.anyOfType(in.types, state)
                                                      : in.values.shapeOf(in.operands[1], in.types, state);
    return in.values.tuple(std::vector{in.values.indexBelow(in.values.sizeFrom(in.operands[0])), current});
}

ValueId applyArgument(Operands in, std::size_t /*child*/) { return in.operands[1]; }

ValueId checkArgument(Operands in, std::size_t child) {
    if (child == 0) return in.operands[2];
    return in.values.anyOfType(in.types, in.types.children(in.operandTypes[child])[0]);
}

}  // namespace mitos::ks
