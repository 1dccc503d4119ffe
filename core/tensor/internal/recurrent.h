// SPDX-License-Identifier: GPL-3.0-or-later
// The three recurrent layers: the numbers in which they differ, and their steps as terms.
#pragma once

#include "core/tensor/operator.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mitos::tensor {

/// Inputs of RNN, GRU and LSTM in ONNX's order. Only LSTM has the last two.
enum RecurrentInput : std::uint8_t { InX, InW, InR, InB, InLengths, InFirstH, InFirstC, InPeepholes };

/// The properties that distinguish the three layers.
struct CellKind {
    std::int64_t gates = 1;  ///< rows of W, in multiples of the hidden size
    std::vector<std::string> activations;
    bool hasCell = false;
};
[[nodiscard]] CellKind cellKindOf(const Operator& op);
/// 1, or 2 for a layer that runs in both directions.
[[nodiscard]] std::int64_t directionsOf(const Attributes& attributes);

/// The longest sequence that recurrentSteps() writes out.
inline constexpr std::int64_t MostRecurrentSteps = 512;
/// A term of the same value, in which each step is written out as products, sums and activations: the form that is differentiated. Fails if the
/// number of steps is only a name, or above the limit.
[[nodiscard]] Result<ir::TermId> recurrentSteps(ir::TermBank& bank, std::span<const ir::TermId> inputs,
                                                const Attributes& attributes, Symbol hint);

}  // namespace mitos::tensor
