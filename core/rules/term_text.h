// SPDX-License-Identifier: GPL-3.0-or-later
// Terms as rules write them.
#pragma once

#include "core/base/result.h"
#include "core/base/source_text.h"
#include "core/ir/term_bank.h"

namespace mitos::rules {

/// The term of a text in the notation of right sides: `f(f(a()))`, `x * (y + 1)`, `build(3, \i. x)`. Operators are those of the
/// bank's registry, declared ones (RuleBook::registry) included; a declared constant is written `a()`; names that nothing
/// binds are Float variables. Both notations, and programs: rewrite/start_term.h. Errors: with the place in the text.
[[nodiscard]] Result<ir::TermId> readTerm(ir::TermBank& bank, const SourceText& text);

}  // namespace mitos::rules
