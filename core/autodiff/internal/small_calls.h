// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of small functions, replaced by their bodies before a program is differentiated.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/functional/function_ref.h>

namespace mitos::autodiff {

/// The body of a function with calls of small functions inlined, in the order of the text, until it has grown by a limit. A function with a
/// derivative of its own (`keeps`) stays a call, and so does one that is recursive or defined elsewhere. A size that the type of a parameter
/// states keeps its name.
[[nodiscard]] ir::TermId withSmallCallsInlined(ir::TermBank& bank, ir::FunctionId function,
                                               absl::FunctionRef<bool(ir::FunctionId)> keeps);

}  // namespace mitos::autodiff
