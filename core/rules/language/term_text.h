// SPDX-License-Identifier: GPL-3.0-or-later
// Reads terms in the notation of rules.
#pragma once

#include "core/base/result.h"
#include "core/base/source_text.h"
#include "core/ir/term_bank.h"

namespace mitos::rules {

/// The term of a text in the notation of right sides: `f(f(a()))`, `x * (y + 1)`, `build(3, \i. x)`. Operators are those of the
/// bank's registry, including declared ones (RuleBook::registry); a declared constant is written `a()`; free names are Float
/// variables. Errors contain the place in the text. rewrite/start_term.h reads both notations and returns programs.
[[nodiscard]] Result<ir::TermId> readTerm(ir::TermBank& bank, const SourceText& text);

}  // namespace mitos::rules
