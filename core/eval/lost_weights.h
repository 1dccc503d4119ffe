// SPDX-License-Identifier: GPL-3.0-or-later
// Weights that a step creates and that their element type cannot hold, for instance two f16 weights whose product is infinite. Evaluation
// is in double precision and does not show them, but exports write them. Private to core/eval.
#pragma once

#include "core/eval/step_regions.h"
#include "core/tensor/evaluate.h"

#include <optional>
#include <string>
#include <vector>

namespace mitos::eval {

/// Among the nodes that a step creates, the topmost ones that depend on weights alone and have floating-point elements.
[[nodiscard]] std::vector<ir::TermId> newWeights(const ir::TermBank& bank, const StepRegion& region);

/// Describes the first weights in `fresh` (newWeights() of the region, with values in `made`) that cannot be held (tensor::isHeld). Empty
/// if all can be held, or if the state before already has such weights at these places.
[[nodiscard]] std::optional<std::string> lostWeights(const ir::TermBank& bank, const StepRegion& region,
                                                     const std::vector<ir::TermId>& fresh,
                                                     const tensor::NodeValues& made, const tensor::Weights& weights,
                                                     const tensor::EvaluateOptions& options);

}  // namespace mitos::eval
