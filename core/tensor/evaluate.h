// SPDX-License-Identifier: GPL-3.0-or-later
// The reference evaluator: what a program of the tensor dialect computes, in double precision. It verifies rewrites and
// importers; it is not made to be fast.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/array.h"
#include "core/tensor/operator.h"
#include "core/tensor/weights.h"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <limits>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::tensor {

/// Values of a program's parameters (its free variables), by name.
using Inputs = absl::btree_map<std::string, ArrayPtr, std::less<>>;

struct EvaluateOptions {
    std::stop_token stop = {};
    /// Of one array. Errors: a larger one is needed.
    std::int64_t maxElements = MostElements;
    /// Of all arrays that are held at one time, as far as sizes are known before. Errors: more are needed.
    std::int64_t maxHeld = std::numeric_limits<std::int64_t>::max();
};

/// The outputs of a program: one array, or all elements of a root that is a Tuple (or an operator with several outputs).
/// Every node is computed once and forgotten after its last use. Sizes with names get theirs from the inputs; one name,
/// one size: error. Errors name the operator, and the node where it has a name: an input or a weight that is missing or
/// does not have its type, an operator that cannot be computed, whatever Evaluate reports, Cancelled, Limit.
[[nodiscard]] Result<std::vector<ArrayPtr>> evaluate(const ir::TermBank& bank, ir::TermId root, const Inputs& inputs,
                                                     const Weights& weights, const EvaluateOptions& options = {});

/// What nodes compute: one array, or several of a node whose type is a tuple.
using NodeValues = absl::flat_hash_map<ir::TermId, std::vector<ArrayPtr>>;

/// The values of the nodes that are wanted. Nodes with a known value are not computed, nor what only they need. Errors: as
/// evaluate().
[[nodiscard]] Result<NodeValues> evaluateNodes(const ir::TermBank& bank, std::span<const ir::TermId> wanted,
                                               const NodeValues& known, const Inputs& inputs, const Weights& weights,
                                               const EvaluateOptions& options = {});

/// One application of a table operator to arrays: its shape rule on their sizes, then its evaluation. Null inputs are
/// absent ones. Errors: as evaluate(), without the node.
[[nodiscard]] Result<std::vector<ArrayPtr>> apply(const Operator& op, const Attributes& attributes,
                                                  std::span<const ArrayPtr> inputs,
                                                  const EvaluateOptions& options = {});

}  // namespace mitos::tensor
