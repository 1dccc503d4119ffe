// SPDX-License-Identifier: GPL-3.0-or-later
// Instances of rules over arrays some of whose sizes are only known when the program runs. Private to core/eval.
#pragma once

#include "core/eval/choices.h"
#include "core/eval/tensor_instances.h"
#include "core/tensor/samples.h"

#include <optional>
#include <vector>

namespace mitos::eval {

/// A term with names for sizes, and numbers to run it with.
struct NamedSizes {
    ir::TermId root;
    std::vector<TensorInstances::Leaf> leaves;
    /// Each says what all the names stand for: mostly what they replace, else other numbers, 1 among them, with which the
    /// term need not have a value.
    std::vector<tensor::Sizes> numbers;
};

/// The term with names in the place of some sizes of its inputs: for equal sizes the same name or different ones. Reshapes and
/// slices that say a size which has a name now may leave it open instead. Types are worked out anew. Weights keep their
/// sizes, as programs have it. Nothing if no size got a name, or operators do not take the names.
[[nodiscard]] std::optional<NamedSizes> withNamedSizes(ir::TermBank& bank, ir::TermId root,
                                                       const std::vector<TensorInstances::Leaf>& leaves,
                                                       Choices& choices);

}  // namespace mitos::eval
