// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of small functions, replaced by their bodies before a program is differentiated.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/functional/function_ref.h>

namespace mitos::autodiff {

/// The term with calls of small functions inlined, in the order of the text, until it has grown by a limit. A function with a derivative
/// of its own (`keeps`) stays a call, and so does one that is recursive or defined elsewhere.
[[nodiscard]] ir::TermId withSmallCallsInlined(ir::TermBank& bank, ir::TermId term,
                                               absl::FunctionRef<bool(ir::FunctionId)> keeps);

}  // namespace mitos::autodiff
