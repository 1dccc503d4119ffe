// SPDX-License-Identifier: GPL-3.0-or-later
// How LibTorch runs the operators of the tensor dialect: for each family a function that prepares those of one operation.
#pragma once

#include "app/measure/request.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <string_view>
#include <vector>

namespace mitos::measure {

using at::Tensor;

/// Runs an operation once and drops its results.
using Run = std::function<void()>;

/// An operation whose inputs exist: what a family prepares.
struct Prepared {
    const Request& request;
    std::vector<Tensor> inputs;  ///< undefined if absent

    /// An input that must be there.
    [[nodiscard]] const Tensor& input(std::size_t index) const;
    void requireAll() const;  ///< refuses an operation without all of its inputs
    [[nodiscard]] bool has(std::size_t index) const { return index < inputs.size() && inputs[index].defined(); }
    /// An optional input; undefined if it is absent.
    [[nodiscard]] Tensor optional(std::size_t index) const { return has(index) ? inputs[index] : Tensor(); }
};

/// Computes the result of an operation on images.
using Compute = std::function<Tensor()>;
/// Makes the computation of an operator on images N, C, H, W; an empty one if the family does not have it. Throws Refusal, or c10::Error.
using ImageFamily = Compute (*)(std::string_view op, const Prepared& operation);
/// The run of an operation on images, by a family of operators. Of an operator with the channels last (NhwcConv) the family gets its
/// plain name, and images that lie in memory as they are stated, seen as N, C, H, W: nothing is copied, unless LibTorch does not keep that
/// order in its result.
[[nodiscard]] Run runOfImages(const Prepared& operation, ImageFamily family);

/// Makes the run of an operation; an empty one if the family does not have its operator. Throws Refusal, or c10::Error.
using Family = Run (*)(const Prepared& operation);

Run prepareUnary(const Prepared& operation);
Run prepareBinary(const Prepared& operation);
Run prepareConvolution(const Prepared& operation);
Run preparePooling(const Prepared& operation);
Run prepareProduct(const Prepared& operation);
Run prepareNormalization(const Prepared& operation);
Run prepareReduction(const Prepared& operation);
Run prepareMovement(const Prepared& operation);
Run prepareIndexing(const Prepared& operation);

/// Applies the activation of a fused operator in place.
void activate(Tensor& x, const std::string& activation, double a, double b);
/// ONNX's pads, "all begins, then all ends", for constant_pad_nd, which takes pairs from the last axis on.
[[nodiscard]] std::vector<std::int64_t> paddingPairs(const std::vector<std::int64_t>& pads);
/// An axis that may count from the end; refused if there is none.
[[nodiscard]] std::int64_t axisOf(std::int64_t axis, const Tensor& tensor);
/// The element type of a dialect's name.
[[nodiscard]] at::ScalarType scalarType(const std::string& dtype);

/// The run of an operation with its inputs on a device. Throws Refusal or c10::Error.
[[nodiscard]] Run prepare(const Request& request, const at::Device& device, double mostBytes);

}  // namespace mitos::measure
