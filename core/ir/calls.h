// SPDX-License-Identifier: GPL-3.0-or-later
// Which functions a term calls. Chains of calls may be thousands of functions long, so nothing here recurses.
#pragma once

#include "core/ir/term_bank.h"

#include <cstddef>
#include <vector>

namespace mitos::ir {

/// The functions that a term calls itself, each once, in order of appearance. An invalid term calls none.
[[nodiscard]] std::vector<FunctionId> calleesOf(const TermBank& bank, TermId root);

/// All functions that a program calls, directly or through others, callees before callers; the program's own function is
/// not among them. Functions that call each other stand in the order in which they are found.
[[nodiscard]] std::vector<FunctionId> callOrder(const TermBank& bank, const Program& program);

/// The most operators and calls that can be open at a time while the program runs without recursion: the depth of its term
/// and of the bodies that it enters, calls of a function inside itself left out. An upper bound.
[[nodiscard]] std::size_t nestingWithCalls(const TermBank& bank, const Program& program);

}  // namespace mitos::ir
