// SPDX-License-Identifier: GPL-3.0-or-later
// A call as what it computes: the body of the function that it calls.
#pragma once

#include "core/ir/term_bank.h"

#include <optional>

namespace mitos::ir {

/// What may take a call's place: the function's body below a `let` for each argument that is more than a name or a number
/// (those stand where the parameter stood), and for each size that the body speaks of, read from the argument that has it.
/// No name is captured: bound variables are indices. Depends on the call and its function alone.
/// Nothing for a term that is no call, a function without a body (edef), one that calls itself, directly or through others,
/// one of graphs, and one whose body speaks of a size that no argument tells.
[[nodiscard]] std::optional<TermId> inlinedCall(TermBank& bank, TermId call);

/// Whether evaluating the body of a function may come to a call of the function again.
[[nodiscard]] bool isRecursive(const TermBank& bank, FunctionId function);

}  // namespace mitos::ir
