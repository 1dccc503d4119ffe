// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluates parts of a program that are known before it runs.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/weights.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <stop_token>

namespace mitos::onnx {

struct FoldedWeights {
    absl::flat_hash_map<ir::TermId, tensor::WeightData> values;
    std::size_t leftOut = 0;  ///< terms that were not computed because of the stop
};

/// The values of terms that are computed from weights and constants alone: of the largest such terms, which are read by terms that
/// depend on inputs, or are outputs. Left out are terms that cannot be computed, that have more than 2^26 elements, take more than
/// 2 * 10^10 operations, or have Integers beyond 2^53 (which the evaluator rounds). Values are kept as in a file, rounded to their
/// type. Begins with the cheapest, and ends when `stop` fires.
[[nodiscard]] FoldedWeights foldedWeights(const ir::TermBank& bank, ir::TermId root, const tensor::Weights& weights,
                                          const std::stop_token& stop = {});

}  // namespace mitos::onnx
