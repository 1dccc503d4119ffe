// SPDX-License-Identifier: GPL-3.0-or-later
// The thirteen networks on which e-graph searches over tensor programs are compared ("Scaling program synthesis with
// e-graphs and MCTS", the evaluation's table of models; sizes as its predecessor's scripts build them), made on the spot.
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
    /// As the papers' scripts build them, quirks included: no biases, no softmax, attention without scale, …
    Paper,
    /// As people train them: biases, batch or layer normalization, softmax and scale, GELU, heads.
    Realistic,
};

/// One network that can be made.
struct Network {
    std::string name;    ///< for the command line: "resnet-50"
    std::string title;   ///< "ResNet-50"
    std::string doc;     ///< one line: input and structure
    std::string quirks;  ///< how the paper's graph departs from the real network; may be empty
    tensor::Model (*build)(ir::TermBank& bank, Style style);
};

/// All of them, in the paper's order.
[[nodiscard]] std::span<const Network> allNetworks();
/// Errors list the names there are.
[[nodiscard]] Result<const Network*> findNetwork(std::string_view name);

/// The network as a model of the bank (whose registry must have the tensor dialect), with seeded random weights that are
/// only made when somebody reads them. The bank must not hold a function of that name yet: error.
[[nodiscard]] Result<tensor::Model> build(ir::TermBank& bank, const Network& network, Style style);

}  // namespace mitos::networks
