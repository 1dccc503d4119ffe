// SPDX-License-Identifier: GPL-3.0-or-later
// Folds whose steps read elements of captured tensors at an index that the step's element determines. The elements are gathered before
// the fold, so that their tangents are those of the fold's vector: a step that adds to one element of a captured vector would otherwise
// cost the length of the vector.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/functional/function_ref.h>

namespace mitos::autodiff {

/// (fold function start vector) as a fold over pairs of the vector's elements and what its steps read; invalid if there is nothing to
/// gather. `definition` is the term that the vector is a name of, or invalid: elements at all indices in order are read in order. The function is a lambda without other loose indices. Elements that only one branch reads are not gathered,
/// nor are rows, which would be copied.
[[nodiscard]] ir::TermId gatheredFold(ir::TermBank& bank, ir::TermId function, ir::TermId start, ir::TermId vector,
                                      ir::TermId definition, absl::FunctionRef<bool(Symbol)> hasTangent);

}  // namespace mitos::autodiff
