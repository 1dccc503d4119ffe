// SPDX-License-Identifier: GPL-3.0-or-later
// Operators whose result has sizes that an input determines when the program runs: terms have them as names, in the attribute
// `sizes`, and evaluation has them as numbers. The names are trusted; the evaluator checks that one name is one size.
#pragma once

#include "core/tensor/dimension.h"
#include "core/tensor/operator.h"

#include <span>
#include <string>
#include <vector>

namespace mitos::tensor {

/// The attribute with all sizes of the result, as names and numbers: [N,12*S,64].
[[nodiscard]] AttributeInfo sizesAttribute();
/// The type of an array with the sizes in the attribute.
[[nodiscard]] ArrayType sizedType(const ShapeInput& in, ir::Dtype dtype);
/// The attribute's value. Fails if a name cannot be written in the attribute's text; files may have such names.
[[nodiscard]] Result<std::vector<std::string>> sizeNames(std::span<const ir::Dimension> sizes,
                                                         const SymbolTable& symbols);
/// A new name for a size that has none, after the node's output: "y_0".
[[nodiscard]] ir::Dimension newSize(const OnnxNode& node, std::size_t output, std::size_t axis, SymbolTable& symbols);

/// Does what exportPlainly does, without the attribute `sizes`.
[[nodiscard]] Exported exportSized(const Attributes& attributes, std::span<const ArrayType> inputs);

}  // namespace mitos::tensor
