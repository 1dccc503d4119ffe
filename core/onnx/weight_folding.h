// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a program that are known before it runs.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/weights.h"

#include <absl/container/flat_hash_map.h>

namespace mitos::onnx {

/// What terms come to that compute something from weights and constants alone: the largest such terms, those that a
/// program or what depends on its inputs reads. Terms that cannot be computed, are of more than 2^26 elements or 2 * 10^10 operations, or of
/// Integers beyond 2^53 (which the evaluator rounds), are left out. Each is kept as a file holds it, rounded to its type.
[[nodiscard]] absl::flat_hash_map<ir::TermId, tensor::WeightData> foldedWeights(const ir::TermBank& bank,
                                                                                ir::TermId root,
                                                                                const tensor::Weights& weights);

/// The terms below a root, each once, children first.
[[nodiscard]] std::vector<ir::TermId> childrenFirst(const ir::TermBank& bank, ir::TermId root);

}  // namespace mitos::onnx
