// SPDX-License-Identifier: GPL-3.0-or-later
// Weights that a step makes and that their element type cannot hold: two f16 weights whose product is infinite. Evaluation is in
// double precision and does not show them; exports write them. Private to core/eval.
#pragma once

#include "core/eval/step_regions.h"
#include "core/tensor/evaluate.h"

#include <optional>
#include <string>
#include <vector>

namespace mitos::eval {

/// Of the nodes that a step makes the topmost that depend on weights alone and have floating elements.
[[nodiscard]] std::vector<ir::TermId> newWeights(const ir::TermBank& bank, const StepRegion& region);

/// What cannot be held (tensor::isHeld) of `fresh`, newWeights() of the region, whose values are among `made`, for people.
/// Nothing: all can be, or the state before has such weights at these places already.
[[nodiscard]] std::optional<std::string> lostWeights(const ir::TermBank& bank, const StepRegion& region,
                                                     const std::vector<ir::TermId>& fresh,
                                                     const tensor::NodeValues& made, const tensor::Weights& weights,
                                                     const tensor::EvaluateOptions& options);

}  // namespace mitos::eval
