// SPDX-License-Identifier: GPL-3.0-or-later
// Windows that slide along the spatial axes of an array [N, C, D1, …], shared by convolutions and pools.
#pragma once

#include "core/tensor/operator.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace mitos::tensor {

/// Convolutions and pools work along one to three axes.
inline constexpr std::size_t MaxSpatialRank = 3;

/// The largest number of a window, and the most positions along an axis: sums and products of a few such numbers do not overflow.
inline constexpr std::int64_t MostPositions = std::int64_t{1} << 31U;
[[nodiscard]] bool areTooLarge(std::span<const std::int64_t> values);

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
    /// The first k of the window inside the input, and one past the last; the two are equal if there is none.
    [[nodiscard]] std::array<std::int64_t, 2> inside(std::int64_t window) const;
};

/// The axes of a window. Missing ones come first, as axes of one position.
struct Window {
    std::array<WindowAxis, MaxSpatialRank> axes;

    [[nodiscard]] std::int64_t inputSize() const;   ///< positions of one channel
    [[nodiscard]] std::int64_t outputSize() const;  ///< positions of one channel
    [[nodiscard]] std::int64_t kernelSize() const;
};

/// The attributes of a window as a term has them. Empty dilations mean that all are 1.
struct WindowAttributes {
    std::vector<std::int64_t> kernel = {};
    std::vector<std::int64_t> strides = {};
    std::vector<std::int64_t> pads = {};  ///< all the beginnings, then all the ends
    std::vector<std::int64_t> dilations = {};
};

/// The form of each of a window's attributes: a list of integers.
[[nodiscard]] AttributeInfo integersAttribute(std::string name, std::string doc);

/// The window attributes of a term: convolutions have no kernel, some pools no dilations.
[[nodiscard]] WindowAttributes windowAttributes(const Attributes& attributes);

/// Checks lengths and signs, and that sizes computed from them do not overflow. `rank` is the number of spatial axes.
[[nodiscard]] Status checkWindow(std::string_view op, const WindowAttributes& window, std::size_t rank);
/// How often the window fits along an axis. With `ceil`, a last window that begins inside the input or before it may reach
/// beyond the end; one that begins behind the input is dropped. Fails if the window does not fit at all.
[[nodiscard]] Result<ir::Dimension> windowCount(const ShapeInput& in, const WindowAttributes& window, std::size_t axis,
                                                ir::Dimension input, ir::Dimension kernel, bool ceil);
/// Fails if a node has a number that no window has: a size, stride or dilation below 1, no groups, a negative extension.
[[nodiscard]] Status checkWindowNode(const OnnxNode& node);
/// The window for shapes [N, C, spatial…].
[[nodiscard]] Window windowOf(const WindowAttributes& window, const Shape& input, const Shape& output);

/// The explicit pads of an ONNX node with auto_pad (or pads, or neither). Fails if sizes that determine them are not known.
[[nodiscard]] Result<std::vector<std::int64_t>> importedPads(const OnnxNode& node, std::span<const ir::Dimension> input,
                                                             std::span<const std::int64_t> kernel,
                                                             std::span<const std::int64_t> strides,
                                                             std::span<const std::int64_t> dilations);

}  // namespace mitos::tensor
