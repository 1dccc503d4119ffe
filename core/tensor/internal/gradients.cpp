// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/internal/gradients.h"

#include "core/tensor/dimension.h"
#include "core/tensor/internal/sized.h"
#include "core/tensor/ops/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace mitos::tensor {

using ir::Dimension;
using ir::TermId;

namespace {

Shape numbersOr(const ArrayType& type, std::int64_t otherwise) {
    Shape shape;
    for (const Dimension size : type.dimensions) shape.push_back(size.isKnown() ? size.size : otherwise);
    return shape;
}

/// The sizes of an array as a value of the program.
TermId sizesOf(TermMaker& make, TermId like) {
    const auto rank = static_cast<std::int64_t>(make.type(like).rank());
    return make.node("Shape", {like}, {{"start", std::int64_t{0}}, {"end", rank}});
}

/// An operator whose result has the sizes of `like`, which have names.
TermId sizedLike(TermMaker& make, std::string_view op, TermId term, TermId like) {
    Result<std::vector<std::string>> names = make.sizeNames(like);
    if (!names) {
        make.fail(std::move(names).error());
        return {};
    }
    return make.node(op, {term, sizesOf(make, like)}, {{"sizes", *names}});
}

/// Arithmetic of numbers that stand in the program.
std::optional<double> folded(std::string_view op, double a, double b) {
    if (op == "Add") return a + b;
    if (op == "Sub") return a - b;
    if (op == "Mul") return a * b;
    if (op == "Div" && b != 0.0) return a / b;
    return std::nullopt;
}

/// Whether an array broadcasts to the sizes of another one without changing them.
bool fitsInto(TermMaker& make, TermId small, TermId large) {
    const ArrayType from = make.type(small);
    const ArrayType to = make.type(large);
    return to.hasRank && (from.rank() == 0 || from.dimensions == to.dimensions);
}

/// Searches the terms that a cotangent is made by for zeros of elements that were not chosen.
class MaskSearch {
public:
    explicit MaskSearch(TermMaker& make) : m_make(make) {}

    bool find(TermId term) {
        if (--m_left < 0 || !term.isValid()) return false;
        const ir::TermBank& bank = m_make.bank();
        const std::string_view op = bank.opName(term);
        if (op == "Constant") return m_make.constantValue(term) == 0.0;
        if (op == "Where") return find(bank.child(term, 1)) || find(bank.child(term, 2));
        if (op == "Mul") return find(bank.child(term, 0)) || find(bank.child(term, 1));
        if (op == "Add") return find(bank.child(term, 0)) && find(bank.child(term, 1));
        constexpr std::array Scatters{"Pad", "ScatterElements", "ScatterND"};  // in zeros
        if (std::ranges::find(Scatters, op) != Scatters.end()) return true;
        constexpr std::array Moves{"Div",       "Neg",     "Cast",   "Reshape", "Transpose",
                                   "Unsqueeze", "Squeeze", "Expand", "Identity"};
        return std::ranges::find(Moves, op) != Moves.end() && find(bank.child(term, 0));
    }

private:
    TermMaker& m_make;
    int m_left = 100;  ///< terms to visit
};

/// Whether the forms in which divisors usually stand show that one is not zero.
bool isNotZero(TermMaker& make, TermId term) {
    if (!term.isValid()) return false;
    const ir::TermBank& bank = make.bank();
    const std::string_view op = bank.opName(term);
    const auto isPositive = [&](TermId child) { return make.constantValue(child).value_or(0.0) > 0.0; };
    if (op == "Constant") return make.constantValue(term) != 0.0;
    if (op == "Exp") return true;
    if (op == "Add") return isPositive(bank.child(term, 0)) || isPositive(bank.child(term, 1));
    return (op == "Sqrt" || op == "ReduceSum") && isNotZero(make, bank.child(term, 0));
}

bool hasRanks(TermMaker& make, TermId a, TermId b) {
    if (make.failed() || !a.isValid() || !b.isValid()) return false;
    if (make.type(a).hasRank && make.type(b).hasRank) return true;
    make.fail(shapeError("the rank of an array is unknown"));
    return false;
}

}  // namespace

ArrayTerm apply(std::string_view op, ArrayTerm a, std::initializer_list<TermMaker::Setting> settings) {
    const std::optional<double> value = op == "Neg" ? a.make().constantValue(a.id()) : std::nullopt;
    if (value) return {a.make(), a.make().constant(-*value, a.make().type(a.id()).shape(), a.id())};
    return {a.make(), a.make().node(op, {a.id()}, settings)};
}

ArrayTerm apply(std::string_view op, ArrayTerm a, ArrayTerm b) {
    TermMaker& make = a.make();
    const std::optional<double> left = make.constantValue(a.id());
    const std::optional<double> right = make.constantValue(b.id());
    if (left && right && make.type(a.id()) == make.type(b.id())) {
        if (const std::optional<double> value = folded(op, *left, *right)) {
            return {make, make.constant(*value, make.type(a.id()).shape(), a.id())};
        }
    }
    if (op == "Mul" && left == 1.0 && fitsInto(make, a.id(), b.id())) return b;
    if ((op == "Mul" || op == "Div") && right == 1.0 && fitsInto(make, b.id(), a.id())) return a;
    return {make, make.node(op, {a.id(), b.id()})};
}

ArrayTerm unlessMasked(ArrayTerm d, ArrayTerm divisor, ArrayTerm part) {
    TermMaker& make = d.make();
    if (make.failed() || isNotZero(make, divisor.id()) || !MaskSearch(make).find(d.id())) return part;
    return where(apply("Equal", d, 0.0), 0.0, part);
}

ArrayTerm where(ArrayTerm condition, ArrayTerm a, ArrayTerm b) {
    return {a.make(), a.make().node("Where", {condition.id(), a.id(), b.id()})};
}

Pointwise pointwise(const GradientInput& in) {
    const auto input = [&](std::size_t i) {
        return ArrayTerm(in.make, i < in.inputs.size() ? in.inputs[i] : TermId());
    };
    return {.a = input(0),
            .b = input(1),
            .c = input(2),
            .r = {in.make, in.outputs.front()},
            .d = {in.make, in.cotangents.front()},
            .attributes = in.attributes};
}

TermId summedTo(TermMaker& make, TermId term, TermId like) {
    if (!hasRanks(make, term, like)) return {};
    const ArrayType from = make.type(term);
    const ArrayType to = make.type(like);
    if (from.dimensions == to.dimensions) return term;
    if (from.rank() < to.rank()) return broadcastTo(make, term, like);
    const std::size_t extra = from.rank() - to.rank();
    std::vector<std::int64_t> ones;
    bool isSmaller = false;
    for (std::size_t i = 0; i < to.rank(); ++i) {
        const Dimension size = from.dimensions[extra + i];
        if (to.dimensions[i] == size) continue;
        if (to.dimensions[i] == Dimension::of(1)) {
            ones.push_back(static_cast<std::int64_t>(extra + i));
        } else if (size == Dimension::of(1)) {
            isSmaller = true;  // a scalar's cotangent
        } else {
            make.fail(shapeError("sizes have names that do not tell whether they are 1"));
            return {};
        }
    }
    if (!ones.empty()) term = make.node("ReduceSum", {term}, {{"axes", ones}, {"keepdims", true}});
    if (extra > 0) term = make.node("ReduceSum", {term}, {{"axes", axesBetween(0, extra)}, {"keepdims", false}});
    return isSmaller ? broadcastTo(make, term, like) : term;
}

TermId reshapedTo(TermMaker& make, TermId term, TermId like) {
    if (!hasRanks(make, term, like)) return {};
    const ArrayType to = make.type(like);
    if (make.type(term).dimensions == to.dimensions) return term;
    const auto named = std::ranges::count_if(to.dimensions, [](Dimension size) { return !size.isKnown(); });
    if (named > 1) return sizedLike(make, "ReshapeTo", term, like);
    return make.node("Reshape", {term}, {{"shape", numbersOr(to, -1)}});
}

TermId broadcastTo(TermMaker& make, TermId term, TermId like) {
    if (!hasRanks(make, term, like)) return {};
    const ArrayType from = make.type(term);
    const ArrayType to = make.type(like);
    if (from.dimensions == to.dimensions) return term;
    if (!to.isStatic()) return sizedLike(make, "ExpandTo", term, like);
    if (const std::optional<double> value = make.constantValue(term)) return make.constant(*value, to.shape(), term);
    return make.node("Expand", {term}, {{"shape", to.shape()}});
}

TermId zerosLike(TermMaker& make, TermId like) {
    if (!hasRanks(make, like, like)) return {};
    const ArrayType type = make.type(like);
    if (type.isStatic()) return make.constant(0.0, type.shape(), like);
    return sizedLike(make, "ExpandTo", make.scalar(0.0, like), like);
}

ArrayTerm sumAlong(ArrayTerm term, std::vector<std::int64_t> axes) {
    return apply("ReduceSum", term, {{"axes", std::move(axes)}, {"keepdims", true}});
}

ArrayTerm meanAlong(ArrayTerm term, std::vector<std::int64_t> axes) {
    return apply("ReduceMean", term, {{"axes", std::move(axes)}, {"keepdims", true}});
}

std::vector<std::int64_t> axesBetween(std::size_t first, std::size_t last) {
    std::vector<std::int64_t> axes;
    for (std::size_t i = first; i < last; ++i) axes.push_back(static_cast<std::int64_t>(i));
    return axes;
}

}  // namespace mitos::tensor
