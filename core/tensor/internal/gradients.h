// SPDX-License-Identifier: GPL-3.0-or-later
// Helpers for gradient rules: terms in arithmetic, and the way back from broadcasting.
#pragma once

#include "core/tensor/gradient.h"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace mitos::tensor {

/// A term in arithmetic: `d * (1.0 - r * r)`. Numbers become scalars of the other operand's element type.
class ArrayTerm {
public:
    ArrayTerm(TermMaker& make, ir::TermId id) : m_make(&make), m_id(id) {}
    [[nodiscard]] TermMaker& make() const { return *m_make; }
    [[nodiscard]] ir::TermId id() const { return m_id; }
    [[nodiscard]] ArrayTerm scalar(double value) const { return {*m_make, m_make->scalar(value, m_id)}; }

private:
    TermMaker* m_make;
    ir::TermId m_id;
};

/// An operator applied to terms.
[[nodiscard]] ArrayTerm apply(std::string_view op, ArrayTerm a,
                              std::initializer_list<TermMaker::Setting> settings = {});
[[nodiscard]] ArrayTerm apply(std::string_view op, ArrayTerm a, ArrayTerm b);
[[nodiscard]] inline ArrayTerm apply(std::string_view op, ArrayTerm a, double b) { return apply(op, a, a.scalar(b)); }

[[nodiscard]] inline ArrayTerm operator+(ArrayTerm a, ArrayTerm b) { return apply("Add", a, b); }
[[nodiscard]] inline ArrayTerm operator+(ArrayTerm a, double b) { return apply("Add", a, b); }
[[nodiscard]] inline ArrayTerm operator-(ArrayTerm a, ArrayTerm b) { return apply("Sub", a, b); }
[[nodiscard]] inline ArrayTerm operator-(ArrayTerm a, double b) { return apply("Sub", a, b); }
[[nodiscard]] inline ArrayTerm operator-(double a, ArrayTerm b) { return apply("Sub", b.scalar(a), b); }
[[nodiscard]] inline ArrayTerm operator-(ArrayTerm a) { return apply("Neg", a); }
[[nodiscard]] inline ArrayTerm operator*(ArrayTerm a, ArrayTerm b) { return apply("Mul", a, b); }
[[nodiscard]] inline ArrayTerm operator*(ArrayTerm a, double b) { return apply("Mul", a, b); }
[[nodiscard]] inline ArrayTerm operator/(ArrayTerm a, ArrayTerm b) { return apply("Div", a, b); }
[[nodiscard]] inline ArrayTerm operator/(ArrayTerm a, double b) { return apply("Div", a, b); }

/// `a` where the condition is true, else `b`.
[[nodiscard]] ArrayTerm where(ArrayTerm condition, ArrayTerm a, ArrayTerm b);
[[nodiscard]] inline ArrayTerm where(ArrayTerm condition, ArrayTerm a, double b) {
    return where(condition, a, a.scalar(b));
}
[[nodiscard]] inline ArrayTerm where(ArrayTerm condition, double a, ArrayTerm b) {
    return where(condition, b.scalar(a), b);
}

/// `part`, or zero where the cotangent d is zero, if d may be zero because its element was not chosen (by Where, Max, Relu) and `divisor`, by
/// which the slope divides, is not known to differ from zero. Without it 0 times an infinite slope would be NaN.
[[nodiscard]] ArrayTerm unlessMasked(ArrayTerm d, ArrayTerm divisor, ArrayTerm part);

/// The operands of an elementwise operator, its result and the cotangent of the result, as the texts of ks have them.
struct Pointwise {
    ArrayTerm a;
    ArrayTerm b;  ///< invalid if there is one operand
    ArrayTerm c;  ///< invalid if there are two
    ArrayTerm r;
    ArrayTerm d;
    const Attributes& attributes;
};
using Operands = const Pointwise&;
[[nodiscard]] Pointwise pointwise(const GradientInput& in);

/// The terms that rules have for cotangents of inputs that do not count.
inline constexpr auto NoGradient = [](const Pointwise& p) { return ArrayTerm(p.d.make(), {}); };

/// Cotangents that broadcasting repeated are summed: `term` with the sizes of `like`, from which it was broadcast. Records an error if the
/// sizes have names that do not tell which are 1.
[[nodiscard]] ir::TermId summedTo(TermMaker& make, ir::TermId term, ir::TermId like);
/// The same elements in the shape of `like`.
[[nodiscard]] ir::TermId reshapedTo(TermMaker& make, ir::TermId term, ir::TermId like);
/// Repeated along axes of one element, up to the shape of `like`.
[[nodiscard]] ir::TermId broadcastTo(TermMaker& make, ir::TermId term, ir::TermId like);
[[nodiscard]] ir::TermId zerosLike(TermMaker& make, ir::TermId like);
/// Sums along axes, which stay with the size 1.
[[nodiscard]] ArrayTerm sumAlong(ArrayTerm term, std::vector<std::int64_t> axes);
[[nodiscard]] ArrayTerm meanAlong(ArrayTerm term, std::vector<std::int64_t> axes);
/// first, first + 1, …, last - 1.
[[nodiscard]] std::vector<std::int64_t> axesBetween(std::size_t first, std::size_t last);

/// The rule of an operator with broadcasting: a function of Pointwise for each input, which gives that input's cotangent before
/// broadcasting is undone. More inputs than functions have none.
template <auto... Parts>
[[nodiscard]] std::vector<ir::TermId> pointwiseGradient(const GradientInput& in) {
    const Pointwise operands = pointwise(in);
    std::vector<ir::TermId> result(in.inputs.size());
    std::size_t i = 0;
    const auto set = [&](const auto& part) {
        if (i < result.size() && in.isWanted[i]) result[i] = summedTo(in.make, part(operands).id(), in.inputs[i]);
        ++i;
    };
    (set(Parts), ...);
    return result;
}

/// The derivative of an operator with the rule pointwiseGradient.
template <auto... Parts>
inline constexpr OperatorGradient PointwiseGradient{.rule = pointwiseGradient<Parts...>};
/// The derivative of an operator with steps.
inline constexpr OperatorGradient ZeroGradient{.isZero = true};

}  // namespace mitos::tensor
