// SPDX-License-Identifier: GPL-3.0-or-later
// The reference evaluator computes a program of the tensor dialect in double precision. It verifies rewrites and
// importers; it is not designed for speed.
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
    /// The most elements of one array. Evaluation fails if a larger one is needed.
    std::int64_t maxElements = MostElements;
    /// The most elements of all arrays that are held at one time, as far as their sizes follow from the inputs. Evaluation fails if more
    /// are needed.
    std::int64_t maxHeld = std::numeric_limits<std::int64_t>::max();
};

/// The outputs of a program: one array, or all elements of a root that is a Tuple (or an operator with several outputs).
/// Every node is computed once and freed after its last use. Named sizes get their values from the inputs. Fails if one name
/// has two sizes, if an input or a weight is missing or does not have its type, if an operator cannot be computed, with the
/// errors of Evaluate, and with Cancelled or Limit. Errors name the operator, and the node if it has a name.
[[nodiscard]] Result<std::vector<ArrayPtr>> evaluate(const ir::TermBank& bank, ir::TermId root, const Inputs& inputs,
                                                     const Weights& weights, const EvaluateOptions& options = {});

/// The values of nodes: one array, or several for a node whose type is a tuple.
using NodeValues = absl::flat_hash_map<ir::TermId, std::vector<ArrayPtr>>;

/// The values of the wanted nodes. Nodes with a known value are not computed, nor are nodes that only they need. Fails as
/// evaluate() does.
[[nodiscard]] Result<NodeValues> evaluateNodes(const ir::TermBank& bank, std::span<const ir::TermId> wanted,
                                               const NodeValues& known, const Inputs& inputs, const Weights& weights,
                                               const EvaluateOptions& options = {});

/// Applies a table operator to arrays: its shape rule to their sizes, then its evaluation. Null inputs are absent ones.
/// Fails as evaluate() does; errors do not name a node.
[[nodiscard]] Result<std::vector<ArrayPtr>> apply(const Operator& op, const Attributes& attributes,
                                                  std::span<const ArrayPtr> inputs,
                                                  const EvaluateOptions& options = {});

}  // namespace mitos::tensor
