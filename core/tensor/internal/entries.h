// SPDX-License-Identifier: GPL-3.0-or-later
// Helpers for table entries: their attributes, and the work of operators with a fixed number of flops for each element.
#pragma once

#include "core/tensor/operator.h"
#include "core/tensor/work.h"

#include <string>

namespace mitos::tensor {

[[nodiscard]] inline AttributeInfo floatAttribute(std::string name, std::string defaultText, std::string doc) {
    return {std::move(name), AttributeKind::Float, std::move(defaultText), std::move(doc)};
}
[[nodiscard]] inline AttributeInfo integerAttribute(std::string name, std::string defaultText, std::string doc) {
    return {std::move(name), AttributeKind::Integer, std::move(defaultText), std::move(doc)};
}
[[nodiscard]] inline AttributeInfo flagAttribute(std::string name, std::string defaultText, std::string doc) {
    return {std::move(name), AttributeKind::Boolean, std::move(defaultText), std::move(doc)};
}
[[nodiscard]] inline AttributeInfo listAttribute(std::string name, std::string doc) {
    return {std::move(name), AttributeKind::Integers, {}, std::move(doc)};
}

/// The work of `Flops` operations for each element of the first input. A function computed by a series counts as SeriesFlops.
inline constexpr int SeriesFlops = 8;
template <int Flops>
[[nodiscard]] Work workPerElement(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work result = movement(in, outputs);
    result.flops = Flops * elements(in.inputs[0]);
    return result;
}

}  // namespace mitos::tensor
