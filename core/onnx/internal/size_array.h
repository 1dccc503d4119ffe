// SPDX-License-Identifier: GPL-3.0-or-later
// Integers that are computed from sizes with names: partial evaluation of the nodes that exporters write around Reshape, Expand,
// Slice and Range (Shape, Gather, Unsqueeze, Concat, arithmetic). Only for .cpp files of this folder.
#pragma once

#include "core/tensor/array.h"
#include "core/tensor/attributes.h"
#include "core/tensor/dimension.h"
#include "core/tensor/operator.h"
#include "core/tensor/weights.h"

#include <optional>
#include <span>
#include <vector>

namespace mitos::onnx {

/// Integers (or Bools), each a number or an expression of names of sizes.
struct SizeArray {
    ir::Dtype dtype = ir::Dtype::I64;
    tensor::Shape shape = {};
    std::vector<tensor::SizeExpression> elements = {};

    /// Null if an element depends on names.
    [[nodiscard]] tensor::ArrayPtr numbers() const;
    /// The same as a weight, exactly; nullopt if an element depends on names.
    [[nodiscard]] std::optional<tensor::WeightData> data() const;
};

/// The results of a table operator on such arrays, one array for each output. `inputs` are null where the elements are not
/// known; `types` are those of all inputs. nullopt if the outputs do not follow.
[[nodiscard]] std::optional<std::vector<SizeArray>> sizesMadeBy(const tensor::Operator& op,
                                                                const tensor::Attributes& attributes,
                                                                std::span<const SizeArray* const> inputs,
                                                                std::span<const tensor::ArrayType> types,
                                                                SymbolTable& symbols);

}  // namespace mitos::onnx
