// SPDX-License-Identifier: GPL-3.0-or-later
// Training graphs of models: from inputs and weights to a loss and its gradients, as a model.
#pragma once

#include "core/autodiff/tensor_gradient.h"
#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mitos::autodiff {

/// How the loss, a scalar, is made of an output.
enum class Loss : std::uint8_t {
    Output,      ///< the output itself, which has one element
    Cotangent,   ///< the sum of its products with a further input, `cotangent`
    Sum,         ///< of all elements
    MeanSquare,  ///< the mean of the squared differences from a further input, `target`
    SoftmaxCrossEntropy,  ///< of the last axis as logits and a further input of probabilities, `target`; the mean over the other axes
};

struct TrainingRequest {
    // The arrays that the loss is differentiated by.
    bool byWeights =
        true;  ///< all floating-point weights that the loss depends on; not the statistics of a BatchNormalization
    bool byInputs = false;                ///< all floating-point inputs that the loss depends on
    std::vector<std::string> names = {};  ///< further inputs and weights
    /// Nothing: Loss::Output if the output has one element, else Loss::Cotangent.
    std::optional<Loss> loss = std::nullopt;
    std::string output = {};  ///< the output that the loss is made of; empty: the first one
};

struct TrainingGraph {
    tensor::Model source;  ///< the model that it was made of
    /// The weights among the arrays are inputs, behind the model's own, and a target or cotangent is the last one. The outputs are the
    /// loss and the gradients, in the order of `arrays`.
    tensor::Model model;
    Loss loss = Loss::Output;
    std::string output;  ///< the output that the loss is made of
    std::vector<std::string> arrays;
    std::vector<std::string> warnings;
};

/// Makes the training graph of a model. Fails if the output, an input or a weight is unknown or has no gradient, if the loss depends on
/// none of the arrays, and with Unsupported if nodes without a derivative are in the way, which are then in `obstacles`.
[[nodiscard]] Result<TrainingGraph> trainingGraph(ir::TermBank& bank, const tensor::Model& model,
                                                  const TrainingRequest& request,
                                                  std::vector<TensorObstacle>& obstacles);

}  // namespace mitos::autodiff
