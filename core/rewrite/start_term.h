// SPDX-License-Identifier: GPL-3.0-or-later
// Reads terms typed in by the user as start programs.
#pragma once

#include "core/base/result.h"
#include "core/ir/function.h"
#include "core/ir/term_bank.h"

#include <string>

namespace mitos::rewrite {

/// The program of a text in the notation of ks, `(f (add (a) x))`, or of rules, `f(a() + x)`. Operators are those of the
/// bank's registry: for a rule file with declared operators, create the bank with RuleBook::registry. Free names are the
/// program's Float parameters in the order of their first appearance, as in every bare expression of ks. `name` is used in
/// messages. If neither notation fits, returns the error of the one that could be read further. Also fails if a declared
/// constant is written as a variable.
[[nodiscard]] Result<ir::Program> readStartTerm(ir::TermBank& bank, const std::string& name, const std::string& text);

/// The program of a text about another program, `like`, which `likeBank` holds: a term in either notation over the parameters of that
/// program, or ks definitions, the last of which has no other parameters and the same type; for programs of other dialects, what the
/// dialect reads (ir::Dialect::parseLike). Places in errors are places in the text.
[[nodiscard]] Result<ir::Program> readProgramLike(ir::TermBank& bank, const std::string& name, const std::string& text,
                                                  const ir::TermBank& likeBank, const ir::Program& like);

}  // namespace mitos::rewrite
