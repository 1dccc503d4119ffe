// SPDX-License-Identifier: GPL-3.0-or-later
// The order of the axes of images. ONNX's operators take N, C, H, W; the operators named Nhwc… take N, H, W, C, the order in which many
// runtimes compute convolutions and pools faster.
#pragma once

#include "core/tensor/operator.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mitos::tensor {

/// The axes of N, C, H, W in the order N, H, W, C: the `perm` of a Transpose to channels last.
inline constexpr std::array<std::int64_t, 4> ToChannelsLast{0, 2, 3, 1};
/// The `perm` of the Transpose back.
inline constexpr std::array<std::int64_t, 4> ToChannelsFirst{0, 3, 1, 2};

/// The beginning of the names of operators on images with the channels last; the rest is the name of the plain operator.
inline constexpr std::string_view ChannelsLastPrefix = "Nhwc";
/// For an operator on images with the channels last, the operator that computes the same on images N, C, H, W; null for all others.
[[nodiscard]] const Operator* channelsFirstForm(const Operator& op);
/// Whether an input of such an operator is an image: X, and the summand Z of a fused convolution.
[[nodiscard]] bool isImage(const Operator& op, std::size_t input);
[[nodiscard]] bool hasChannelsLast(const ir::TermBank& bank, ir::TermId root);

/// The program without Transposes from channels last to channels first that are not needed: if only operators element by element, joins
/// and means lie between such a Transpose and those in the other direction, they are done with the channels first instead.
[[nodiscard]] ir::TermId withoutReordering(ir::TermBank& bank, ir::TermId root);

}  // namespace mitos::tensor
