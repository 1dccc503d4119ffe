// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the thirteen networks on which e-graph searches over tensor programs are compared ("Scaling program synthesis with
// e-graphs and MCTS", table of models in the evaluation). The sizes are those of its predecessor's scripts.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/model.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mitos::networks {

enum class Style : std::uint8_t {
    /// The graphs of the papers' scripts with their deviations: no biases, no softmax, attention without scale, …
    Paper,
    /// The networks as they are trained in practice: biases, batch or layer normalization, softmax and scale, GELU, heads.
    Realistic,
};

/// A network that can be built.
struct Network {
    std::string name;    ///< name on the command line: "resnet-50"
    std::string title;   ///< "ResNet-50"
    std::string doc;     ///< one line: input and structure
    std::string quirks;  ///< how the paper's graph differs from the real network; may be empty
    tensor::Model (*build)(ir::TermBank& bank, Style style);
};

/// All networks, in the paper's order.
[[nodiscard]] std::span<const Network> allNetworks();
/// Fails if there is no network of that name; the error lists the available names.
[[nodiscard]] Result<const Network*> findNetwork(std::string_view name);

/// Builds the network as a model in the bank, whose registry must contain the tensor dialect. The weights are random with a fixed
/// seed and are only generated when they are read. Fails if the bank already holds a function of that name.
[[nodiscard]] Result<tensor::Model> build(ir::TermBank& bank, const Network& network, Style style);

}  // namespace mitos::networks
