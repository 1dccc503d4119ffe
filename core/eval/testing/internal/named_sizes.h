// SPDX-License-Identifier: GPL-3.0-or-later
// Instances of rules over arrays in which some sizes are only known when the program runs. Private to core/eval.
#pragma once

#include "core/eval/testing/internal/choices.h"
#include "core/eval/testing/internal/tensor_instances.h"
#include "core/tensor/samples.h"

#include <optional>
#include <vector>

namespace mitos::eval {

/// A term with names for sizes, and assignments of numbers to the names.
struct NamedSizes {
    ir::TermId root;
    std::vector<TensorInstances::Leaf> leaves;
    /// Each entry assigns numbers to all names: mostly the sizes that the names replace, else other numbers, 1 among them. The term need
    /// not have a value for the other numbers.
    std::vector<tensor::Sizes> numbers;
};

/// The term with names in place of some sizes of its inputs; equal sizes get the same name or different ones. Reshapes and slices that
/// state a size which now has a name may leave it open instead. Types are inferred again. Weights keep their sizes, as in real programs.
/// Empty if no size got a name, or if an operator does not accept the names.
[[nodiscard]] std::optional<NamedSizes> withNamedSizes(ir::TermBank& bank, ir::TermId root,
                                                       const std::vector<TensorInstances::Leaf>& leaves,
                                                       Choices& choices);

}  // namespace mitos::eval
