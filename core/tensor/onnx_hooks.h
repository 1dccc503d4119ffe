// SPDX-License-Identifier: GPL-3.0-or-later
// Code that importing and exporting hooks share: reading a node's attributes, and inputs that are constants.
#pragma once

#include "core/base/result.h"
#include "core/tensor/onnx_mapping.h"
#include "core/tensor/operator.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::tensor {

/// The error for a node in a form that its table operator does not have; the node stays opaque.
[[nodiscard]] Error notThisForm(std::string message);

/// The error for a node that its operator allows in no form (a window of size -1); the file is refused.
[[nodiscard]] Error invalidNode(std::string message);

// The value of an attribute, or `otherwise` if the node does not have it (or has it with another kind).
[[nodiscard]] std::int64_t integerOf(const OnnxNode& node, std::string_view name, std::int64_t otherwise);
[[nodiscard]] double floatOf(const OnnxNode& node, std::string_view name, double otherwise);
[[nodiscard]] std::string wordOf(const OnnxNode& node, std::string_view name, std::string_view otherwise);
[[nodiscard]] std::optional<std::vector<std::int64_t>> integersOf(const OnnxNode& node, std::string_view name);
[[nodiscard]] std::optional<std::vector<double>> floatsOf(const OnnxNode& node, std::string_view name);

[[nodiscard]] bool hasInput(const OnnxNode& node, std::size_t input);
/// A value that newer opsets have as input `input` and older ones as an attribute; nullopt if the node has neither. Fails if the
/// input is not a constant.
[[nodiscard]] Result<std::optional<std::vector<std::int64_t>>> integersOf(const OnnxNode& node,
                                                                          const OnnxContext& context,
                                                                          std::string_view name, std::size_t input);

/// The type of a required input. Fails if its rank is unknown.
[[nodiscard]] Result<ArrayType> rankedInput(const OnnxNode& node, const OnnxContext& context, std::size_t input);
/// The axis in 0 … rank - 1; negative axes count from the end. Fails if it is out of range.
[[nodiscard]] Result<std::int64_t> normalizedAxis(std::int64_t axis, std::size_t rank);
/// The axes in rising order. Fails if one is out of range or occurs twice.
[[nodiscard]] Result<std::vector<std::int64_t>> normalizedAxes(std::vector<std::int64_t> axes, std::size_t rank);
/// The first `count` inputs stay inputs; those left out are -1, or are dropped if they are at the end.
[[nodiscard]] std::vector<int> firstInputs(const OnnxNode& node, std::size_t count);

}  // namespace mitos::tensor
