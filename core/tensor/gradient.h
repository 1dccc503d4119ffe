// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of gradient rules (OperatorGradient::rule). A rule makes terms of the dialect's operators, so that gradients are programs
// like others: they can be rewritten, priced and exported. core/autodiff applies the rules to programs.
#pragma once

#include "core/tensor/expand.h"
#include "core/tensor/operator.h"

#include <span>
#include <vector>

namespace mitos::tensor {

/// One application of an operator in a program that is differentiated.
struct GradientInput {
    TermMaker& make;
    const Attributes& attributes;
    std::span<const ir::TermId> inputs;   ///< the operator Absent where an optional input is left out
    std::span<const ir::TermId> outputs;  ///< one for each output of the application
    /// The derivative of the loss by each output, of the output's type; invalid where it is zero. At least one is valid.
    std::span<const ir::TermId> cotangents;
    std::vector<bool> isWanted;  ///< for each input, whether its cotangent is needed
};

}  // namespace mitos::tensor
