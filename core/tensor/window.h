// SPDX-License-Identifier: GPL-3.0-or-later
// Windows that slide along the spatial axes of an array [N, C, D1, …]: what convolutions and pools share.
#pragma once

#include "core/tensor/operator.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace mitos::tensor {

/// Convolutions and pools work along one to three axes.
inline constexpr std::size_t MaxSpatialRank = 3;

/// One axis: positions o * stride - padBegin + k * dilation of the input make up window o of the output.
struct WindowAxis {
    std::int64_t input = 1;
    std::int64_t output = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t padBegin = 0;
    std::int64_t padEnd = 0;

    [[nodiscard]] std::int64_t start(std::int64_t window) const { return window * stride - padBegin; }
    /// The first k of the window inside the input, and one past the last; equal if there is none.
    [[nodiscard]] std::array<std::int64_t, 2> inside(std::int64_t window) const;
};

/// Missing axes come first, as axes of one position.
struct Window {
    std::array<WindowAxis, MaxSpatialRank> axes;

    [[nodiscard]] std::int64_t inputSize() const;   ///< positions of one channel
    [[nodiscard]] std::int64_t outputSize() const;  ///< likewise
    [[nodiscard]] std::int64_t kernelSize() const;
};

/// Attributes of a window as they stand in a term. Empty dilations: all are 1.
struct WindowAttributes {
    std::vector<std::int64_t> kernel = {};
    std::vector<std::int64_t> strides = {};
    std::vector<std::int64_t> pads = {};  ///< all the beginnings, then all the ends
    std::vector<std::int64_t> dilations = {};
};

/// What each of a window's attributes is: a list of integers.
[[nodiscard]] AttributeInfo integersAttribute(std::string name, std::string doc);

/// As a term has them: of convolutions no kernel, of some pools no dilations.
[[nodiscard]] WindowAttributes windowAttributes(const Attributes& attributes);

/// Lengths, signs, and that sizes computed of them do not overflow. `rank`: the number of spatial axes.
[[nodiscard]] Status checkWindow(std::string_view op, const WindowAttributes& window, std::size_t rank);
/// How often the window fits along an axis. ceil: a last window that begins inside the input or before it may reach
/// beyond the end, one that begins behind it is dropped. Errors: not once.
[[nodiscard]] Result<ir::Dimension> windowCount(const ShapeInput& in, const WindowAttributes& window, std::size_t axis,
                                                ir::Dimension input, ir::Dimension kernel, bool ceil);
/// Of shapes [N, C, spatial…].
[[nodiscard]] Window windowOf(const WindowAttributes& window, const Shape& input, const Shape& output);

/// The explicit pads of an ONNX node with auto_pad (or pads, or neither). Errors: sizes that decide it are not known.
[[nodiscard]] Result<std::vector<std::int64_t>> importedPads(const OnnxNode& node, std::span<const ir::Dimension> input,
                                                             std::span<const std::int64_t> kernel,
                                                             std::span<const std::int64_t> strides,
                                                             std::span<const std::int64_t> dilations);

}  // namespace mitos::tensor
