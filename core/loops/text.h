// SPDX-License-Identifier: GPL-3.0-or-later
// The loop form as text to be read: statements line by line, names as in the program, and what each nest of loops does.
#pragma once

#include "core/ir/term_bank.h"
#include "core/loops/form.h"
#include "core/loops/work.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mitos::loops {

/// An expression in one line.
[[nodiscard]] std::string expressionText(const ir::TermBank& bank, const Program& program, const Function& function,
                                         ExpressionId expression);

/// A line of the text of a program, and what it stands for.
struct Line {
    std::string text = {};                   ///< with its indentation; empty between two functions
    FunctionIndex function = {};             ///< whose line it is; that of the next line if it is empty
    const Statement* statement = nullptr;    ///< in the program; null for the head of a function and for an empty line
    std::optional<Work> work = {};           ///< of the nest of loops, or the product of matrices, that begins here
    std::optional<std::size_t> around = {};  ///< the line of the statement, or of the head of the function, around it
};

/// The lines of all functions of a program, callees first.
[[nodiscard]] std::vector<Line> lines(const ir::TermBank& bank, const Program& program);

/// The same as one text. After the head of each nest of loops its work (work.h) stands behind `#`.
[[nodiscard]] std::string text(const ir::TermBank& bank, const Program& program);

/// The name of an operation in texts.
[[nodiscard]] const char* nameOf(Operation operation);
/// The sign of an operator in texts.
[[nodiscard]] const char* signOf(Operator op);

}  // namespace mitos::loops
