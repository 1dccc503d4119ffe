// SPDX-License-Identifier: GPL-3.0-or-later
// Reverse mode over programs of the tensor dialect, which are graphs: distinct nodes are visited from the result to the inputs, and the
// contributions to a node's cotangent are summed. The rule of each operator stands in its table entry (tensor/gradient.h).
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"

#include <span>
#include <string>
#include <vector>

namespace mitos::autodiff {

/// A node on the way from the result to an array that it is differentiated by, whose derivative is not known.
struct TensorObstacle {
    ir::TermId node;
    std::string reason;
};

/// A sentence with the node's name and operator, and the reason.
[[nodiscard]] std::string describe(const ir::TermBank& bank, const TensorObstacle& obstacle);

struct TensorGradients {
    /// The result, of the same value. Some operators are replaced by others that share work with their derivatives.
    ir::TermId result;
    /// For each of the arrays the derivative by it, of its type; invalid if the result does not depend on it.
    std::vector<ir::TermId> gradients;
};

/// Whether an array of this type has a gradient: its elements are floating-point numbers.
[[nodiscard]] bool isDifferentiable(const ir::TypeTable& types, ir::TypeId type);

/// The gradients of a scalar by arrays, each a leaf of its program (a parameter or a weight). Fails with Unsupported if nodes have no
/// derivative, which are then in `obstacles`, in the order of the program.
[[nodiscard]] Result<TensorGradients> gradientsOf(ir::TermBank& bank, ir::TermId scalar,
                                                  std::span<const ir::TermId> arrays,
                                                  std::vector<TensorObstacle>& obstacles);

}  // namespace mitos::autodiff
