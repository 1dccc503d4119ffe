// SPDX-License-Identifier: GPL-3.0-or-later
// A gated recurrent unit over a sequence, with its derivatives. Written out, because the unit of LibTorch takes 40 ms for 200 steps of
// 32 numbers and their derivatives: each step is a dozen small operators.
#pragma once

#include "search/learned/torch/torch_network.h"

#include <cstdint>
#include <vector>

namespace mitos::search::learned {

/// Rows of the layers of a unit: reset, update and candidate, `hidden` each.
inline constexpr std::int64_t Gates = 3;

/// The states after each step, [steps, hidden], of a unit as LibTorch, too, defines it (after Cho et al. 2014), whose state h becomes
/// (1 - z) n + z h with r = σ(x_r + U_r h), z = σ(x_z + U_z h) and n = tanh(x_n + r (U_n h)). `inputs` are the rows of x, [steps, 3 hidden]; the
/// layer U includes its bias. The state is 0 before the steps in `begins`, which are in order, and before the first step.
[[nodiscard]] at::Tensor gatedRecurrence(const at::Tensor& inputs, const Layer& recurrent,
                                         const std::vector<std::int64_t>& begins);

}  // namespace mitos::search::learned
