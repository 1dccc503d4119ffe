// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the gradients of a training graph against differences of its loss, and its loss against the model's outputs.
#pragma once

#include "core/autodiff/training_graph.h"
#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/evaluate.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mitos::autodiff {

/// Reads the source of the graph again, into that bank, with other numbers in its weights.
using Reread = std::function<Result<tensor::Model>(ir::TermBank& bank, const tensor::Weights& numbers)>;

struct TensorCheckOptions {
    int points = 3;
    std::uint64_t seed = 1;
    double tolerance = 1e-6;    ///< on deviations, besides the estimated error of the differences
    tensor::Inputs given = {};  ///< inputs that are not random
    tensor::EvaluateOptions evaluation = {};
    /// Null if the source was not read from a file.
    Reread reread = nullptr;
    std::function<void(double share)> progress = {};  ///< called after each array; 0…1
};

/// How far the gradient by one array deviates, relative to the sum of the absolute values that the derivative along a direction has.
struct ArrayCheck {
    std::string array;
    int compared = 0;  ///< directions
    double deviation = 0.0;
    bool isWithin = true;
};

struct TensorCheckReport {
    int points = 0;  ///< random inputs
    int redrawn =
        0;  ///< directions along which a decision (a sign, the place of a maximum) changes within the smallest steps
    int unsettled = 0;  ///< directions along which the differences do not converge, so that they tell nothing
    int singular = 0;   ///< points at which the loss or a gradient is not finite
    double deviation = 0.0;
    /// The deviation of the graph's loss from the loss of the model's own output, where all arrays are moved; relative to the sum of the absolute values of its
    /// summands. If it is large, the graph does not depend on the arrays as the model does.
    double lossDeviation = 0.0;
    bool isLossWithin = true;
    bool passed = false;  ///< every gradient was compared, and all, and the loss, are within the tolerance
    std::vector<ArrayCheck> arrays;
};

/// Compares a training graph at random inputs and the model's weights, each array along a random direction of its own, in double
/// precision; and its loss where all arrays are moved with that of its source's own output. So the check shares neither the graph nor, with
/// `reread`, what the reader of the file computes. Weights of a model without numbers are random. Fails if a value cannot be computed, and
/// with Cancelled.
[[nodiscard]] Result<TensorCheckReport> checkGradients(const ir::TermBank& bank, const TrainingGraph& graph,
                                                       const TensorCheckOptions& options = {});

/// The lines of a report: the deviation, what was left out with the reasons, arrays that deviate. `passed` is the verdict.
[[nodiscard]] std::string describe(const TensorCheckReport& report);

}  // namespace mitos::autodiff
