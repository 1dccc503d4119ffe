// SPDX-License-Identifier: GPL-3.0-or-later
// Subterms of a program as sentences quote them.
#pragma once

#include "core/ir/dialect.h"
#include "core/ir/function.h"
#include "core/ir/path.h"
#include "core/ir/printed_text.h"
#include "core/ir/term_bank.h"

#include <string>
#include <string_view>

namespace mitos::ir {

/// A text without the parentheses around all of it, unless they are those of a tuple.
[[nodiscard]] std::string_view withoutParentheses(std::string_view text);

/// Quotes subterms of a program in the dialect's reading form (Dialect::printMath), on one line; in the dialect's usual form if it has no
/// other. Printing the program once serves all places. The bank must outlive this.
class ReadingForm {
public:
    ReadingForm(const TermBank& bank, const Program& program, Path position);

    /// The subterm at a path below the position, or the beginning of a long one. `term` is printed instead if the form does not show that
    /// place by itself.
    [[nodiscard]] std::string at(const Path& below, TermId term) const;
    /// The place as it stands in the form, which may be on several lines; empty if the form does not show it by itself.
    [[nodiscard]] std::string_view textAt(const Path& below) const;
    /// The whole program in the form, its signature first; empty if the dialect has none.
    [[nodiscard]] std::string_view text() const { return m_printed.text; }

private:
    Path m_position;
    PrintedText m_printed;  ///< empty if the dialect has no reading form
    TermPrinter m_print;
};

}  // namespace mitos::ir
