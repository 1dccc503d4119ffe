// SPDX-License-Identifier: GPL-3.0-or-later
// Operators whose result has sizes that an input says when the program runs: terms have them as names, in the attribute
// `sizes`, and evaluation as numbers. The names are trusted; the evaluator checks that one name is one size.
#pragma once

#include "core/tensor/dimension.h"
#include "core/tensor/operator.h"

#include <span>
#include <string>
#include <vector>

namespace mitos::tensor {

/// All sizes of the result, as names and numbers: [N,12*S,64].
[[nodiscard]] AttributeInfo sizesAttribute();
/// An array of the sizes in the attribute.
[[nodiscard]] ArrayType sizedType(const ShapeInput& in, ir::Dtype dtype);
/// The attribute's value. Errors: a name that texts cannot carry, as files may have it.
[[nodiscard]] Result<std::vector<std::string>> sizeNames(std::span<const ir::Dimension> sizes,
                                                         const SymbolTable& symbols);
/// What is only a name and not yet named: "y_0", after the node's output.
[[nodiscard]] ir::Dimension newSize(const OnnxNode& node, std::size_t output, std::size_t axis, SymbolTable& symbols);

/// As exportPlainly, without the attribute.
[[nodiscard]] Exported exportSized(const Attributes& attributes, std::span<const ArrayType> inputs);

}  // namespace mitos::tensor
