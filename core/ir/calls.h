// SPDX-License-Identifier: GPL-3.0-or-later
// The call graph of terms and programs. Call chains may be thousands of functions long, so nothing here recurses.
#pragma once

#include "core/ir/term_bank.h"

#include <cstddef>
#include <vector>

namespace mitos::ir {

/// The functions that a term calls directly, each once, in order of appearance. Empty for an invalid term.
[[nodiscard]] std::vector<FunctionId> calleesOf(const TermBank& bank, TermId root);

/// All functions that a program calls, directly or indirectly, callees before callers. The program's own function is not
/// included. Mutually recursive functions are in the order in which they are found.
[[nodiscard]] std::vector<FunctionId> callOrder(const TermBank& bank, const Program& program);

/// An upper bound of the number of operators and calls that are nested during a run without recursion: the depth of the program's
/// term and of the bodies that it enters. Recursive calls are not counted.
[[nodiscard]] std::size_t nestingWithCalls(const TermBank& bank, const Program& program);

}  // namespace mitos::ir
