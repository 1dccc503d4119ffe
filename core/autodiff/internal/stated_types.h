// SPDX-License-Identifier: GPL-3.0-or-later
// The sizes that terms state for their values, as types that name them. Private to core/autodiff.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

namespace mitos::autodiff {

/// Types of variables with names of sizes; a name stands for the Integer variable of that name, or for a number.
using StatedTypes = absl::flat_hash_map<ir::TermId, ir::TypeId>;

/// The type of a term over named variables, with a name for each size that its value has in every case: `(build n f)` is a (Vec n …), and a
/// fold has the sizes that its first state and its step have, if the step is given a state of these sizes.
/// `definition` gives the values of other variables; an invalid term if there is none.
[[nodiscard]] ir::TypeId statedType(ir::TermBank& bank, const StatedTypes& variables,
                                    absl::FunctionRef<ir::TermId(ir::TermId)> definition, ir::TermId term);

}  // namespace mitos::autodiff
