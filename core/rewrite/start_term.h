// SPDX-License-Identifier: GPL-3.0-or-later
// Terms that somebody types in, as programs to start from.
#pragma once

#include "core/base/result.h"
#include "core/ir/function.h"
#include "core/ir/term_bank.h"

#include <string>

namespace mitos::rewrite {

/// The program of a text in either notation: of ks, `(f (add (a) x))`, or of rules, `f(a() + x)`. Operators are those of the
/// bank's registry: for a rule file with declared operators make the bank with RuleBook::registry. Free names are the
/// program's Float parameters in the order of their first appearance, as in every bare expression of ks. `name` is for
/// messages. Errors: of the notation in which the text is
/// right up to a later place; a declared constant written as a variable.
[[nodiscard]] Result<ir::Program> readStartTerm(ir::TermBank& bank, const std::string& name, const std::string& text);

}  // namespace mitos::rewrite
