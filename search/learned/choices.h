// SPDX-License-Identifier: GPL-3.0-or-later
// A policy over choices: a network's outputs as probabilities, and the derivatives that training needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mitos {
class Random;
}

namespace mitos::search::learned {

/// The decisions at each node of a graph: one of the same choices for each head. A network has heads × choices outputs for a node.
struct ChoiceSpace {
    std::uint32_t heads = 1;
    std::vector<float>
        prior;  ///< by choice: added to the network's output, so that training can begin at a known policy

    [[nodiscard]] std::uint32_t choices() const { return static_cast<std::uint32_t>(prior.size()); }
    [[nodiscard]] std::uint32_t outputs() const { return heads * choices(); }
    friend bool operator==(const ChoiceSpace&, const ChoiceSpace&) = default;
};

/// A choice for each head of each node, in rows.
using Choices = std::vector<std::uint8_t>;

/// The probabilities of all choices, for outputs of a network: softmax over the choices of each head, with the prior.
[[nodiscard]] std::vector<double> probabilitiesOf(const ChoiceSpace& space, std::span<const float> outputs);
/// Draws each choice by its probability.
[[nodiscard]] Choices drawn(const ChoiceSpace& space, std::span<const double> probabilities, Random& random);
/// The most probable choices; of equal ones the first.
[[nodiscard]] Choices mostProbable(const ChoiceSpace& space, std::span<const double> probabilities);
/// The mean entropy of a decision, in nats.
[[nodiscard]] double meanEntropy(const ChoiceSpace& space, std::span<const double> probabilities);

/// Choices that were made, with how much better they were than expected.
struct Sample {
    Choices choices;
    double advantage = 0.0;
};
/// The derivatives by the outputs of a loss: the mean over the samples of -advantage × log probability of all their choices, less `entropy` times the
/// entropy of all decisions (Williams, "Simple statistical gradient-following algorithms", 1992: REINFORCE).
void addLossDerivative(const ChoiceSpace& space, std::span<const double> probabilities, std::span<const Sample> samples,
                       double entropy, double weight, std::span<float> byOutput);

/// The same of a loss for choices whose values are known, by decision and choice: the mean over the decisions of minus the expected value, less
/// `entropy` times the entropy. Its minimum has probabilities in proportion to exp(value / entropy).
void addValueDerivative(const ChoiceSpace& space, std::span<const double> probabilities, std::span<const float> values,
                        double entropy, double weight, std::span<float> byOutput);

}  // namespace mitos::search::learned
