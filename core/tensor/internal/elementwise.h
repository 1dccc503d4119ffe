// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that work element by element: their shape rules and their evaluation, with NumPy's broadcasting.
#pragma once

#include "core/tensor/element_range.h"
#include "core/tensor/ops/ops.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace mitos::tensor {

/// The element types that an operator takes.
enum class Takes : std::uint8_t { Any, Numbers, Floats, Integers, Bools };

/// Fails unless all present inputs have the same element type, and one that `wanted` allows. Unknown types pass. The error states
/// the type found.
[[nodiscard]] Status checkElements(const ShapeInput& in, Takes wanted);

/// The type of all inputs broadcast, with the first one's element type. Unranked if one of them is.
[[nodiscard]] Result<ArrayType> broadcastInputs(const ShapeInput& in);

/// The output has the type of the inputs, broadcast.
template <Takes Wanted>
[[nodiscard]] Result<std::vector<ArrayType>> elementwiseShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Wanted));
    return broadcastInputs(in).map([](const ArrayType& type) { return std::vector<ArrayType>{type}; });
}

/// The same with Bool elements in the output.
template <Takes Wanted>
[[nodiscard]] Result<std::vector<ArrayType>> predicateShape(const ShapeInput& in) {
    Result<std::vector<ArrayType>> result = elementwiseShape<Wanted>(in);
    if (result) result->front().dtype = ir::Dtype::Bool;
    return result;
}

/// An array of the given output type whose elements are all 0.
[[nodiscard]] std::shared_ptr<Array> blank(const ArrayType& type);

/// Iterates over the elements of an output in order, with the matching element of each input.
class BroadcastWalk {
public:
    /// Every input is present and broadcasts to `output`.
    BroadcastWalk(const Shape& output, std::span<const ArrayPtr> inputs);
    [[nodiscard]] double element(std::size_t input) const { return m_sources[input].elements[m_sources[input].at]; }
    void next();

private:
    struct Source {
        const double* elements = nullptr;
        std::int64_t at = 0;
        Shape steps;  ///< one for each dimension of the output; 0 where the input is repeated
    };
    Shape m_shape;
    Shape m_index;
    std::vector<Source> m_sources;
};

/// The error for Integers that double precision cannot represent exactly. Its code is Unsupported: nothing follows from it.
[[nodiscard]] Error inexact();

/// A result as its element type holds it: floating-point ones are not rounded (array.h), Integers wrap around. An Integer that is
/// not exact becomes NaN, for which tensor::apply returns the error inexact().
[[nodiscard]] inline double held(ir::Dtype dtype, double value) {
    if (ir::isFloating(dtype)) return value;
    return std::abs(value) < EndOfExact ? roundTo(dtype, value) : std::numeric_limits<double>::quiet_NaN();
}

/// The low bits of an Integer as its element type holds them; nullopt if that is not exact.
[[nodiscard]] std::optional<double> heldBits(ir::Dtype dtype, std::uint64_t bits);

/// The function itself, or the one that it returns for the attributes.
template <auto Function>
[[nodiscard]] auto boundTo([[maybe_unused]] const Attributes& attributes) {
    if constexpr (std::is_invocable_v<decltype(Function), const Attributes&>)
        return Function(attributes);
    else
        return Function;
}

/// Function: a function of as many numbers as there are inputs, or one that returns such a function for the Attributes. Fails if
/// it returns NaN for Integers: division by 0, roots of negative numbers.
template <auto Function>
[[nodiscard]] Result<std::vector<ArrayPtr>> mapElements(const EvaluateInput& in) {
    const auto function = boundTo<Function>(in.attributes);
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    const bool isFloating = ir::isFloating(result->dtype);
    BroadcastWalk walk(result->shape, in.inputs);
    for (double& element : result->elements) {
        using F = decltype(function);
        if constexpr (std::is_invocable_v<F, double>)
            element = function(walk.element(0));
        else if constexpr (std::is_invocable_v<F, double, double>)
            element = function(walk.element(0), walk.element(1));
        else
            element = function(walk.element(0), walk.element(1), walk.element(2));
        if (!isFloating) {
            if (std::isnan(element)) return shapeError("an element has no result among the Integers");
            const double rounded = roundTo(result->dtype, element);
            // The low bits are not known, and 2^63 - 1 is read as 2^63, which must not become -2^63.
            if (std::abs(element) >= EndOfExact && rounded != element) return inexact();
            element = rounded;
        }
        walk.next();
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

/// Function: computes the low bits of a result from those of two Integers, exactly as their arithmetic wraps around.
/// Floating-point elements are computed by OfFloats.
template <auto OfFloats, auto Function>
[[nodiscard]] Result<std::vector<ArrayPtr>> mapArithmetic(const EvaluateInput& in) {
    if (ir::isFloating(in.outputs[0].dtype)) return mapElements<OfFloats>(in);
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    BroadcastWalk walk(result->shape, in.inputs);
    const auto bits = [](double element) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(element)); };
    for (double& element : result->elements) {
        const double a = walk.element(0);
        const double b = walk.element(1);
        const bool isExact = std::abs(a) < EndOfExact && std::abs(b) < EndOfExact;
        const std::optional<double> value =
            isExact ? heldBits(result->dtype, Function(bits(a), bits(b))) : std::nullopt;
        if (!value) return inexact();
        element = *value;
        walk.next();
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

}  // namespace mitos::tensor
