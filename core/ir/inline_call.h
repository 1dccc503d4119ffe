// SPDX-License-Identifier: GPL-3.0-or-later
// Inlines calls: replaces a call by the body of the called function.
#pragma once

#include "core/ir/term_bank.h"

#include <optional>

namespace mitos::ir {

/// The term that may replace a call: the function's body below a `let` for each argument that is more than a name or a number
/// (names and numbers are substituted directly) and for each size that the body uses, read from the argument that has it.
/// No name is captured, since bound variables are indices. The result depends only on the call and its function.
/// Returns nothing if the term is not a call, or if the function has no body (edef), calls itself directly or indirectly, is a graph,
/// or uses a size that cannot be read from any argument.
[[nodiscard]] std::optional<TermId> inlinedCall(TermBank& bank, TermId call);

/// Whether evaluating the body of a function may call the function again.
[[nodiscard]] bool isRecursive(const TermBank& bank, FunctionId function);

}  // namespace mitos::ir
