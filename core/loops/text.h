// SPDX-License-Identifier: GPL-3.0-or-later
// The loop form as text to be read: statements line by line, names as in the program, and what each nest of loops does.
#pragma once

#include "core/ir/term_bank.h"
#include "core/loops/form.h"

#include <string>

namespace mitos::loops {

/// An expression in one line.
[[nodiscard]] std::string expressionText(const ir::TermBank& bank, const Program& program, const Function& function,
                                         ExpressionId expression);

/// All functions of a program, callees first. After the head of each nest of loops its work (work.h) stands behind `#`.
[[nodiscard]] std::string text(const ir::TermBank& bank, const Program& program);

/// The name of an operation in texts.
[[nodiscard]] const char* nameOf(Operation operation);
/// The sign of an operator in texts.
[[nodiscard]] const char* signOf(Operator op);

}  // namespace mitos::loops
