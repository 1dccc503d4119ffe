// SPDX-License-Identifier: GPL-3.0-or-later
// The loop form of a program as it is shown: its text, and for each line the subterm that it comes from and the work of its nest.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "views/program/code_view.h"
#include "views/program/program_text.h"

#include <QString>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace mitos::views {

/// The lines that come from a subterm. Lines that follow each other are one range.
struct LinesOfNode {
    std::vector<TextRange> ranges;
    bool isPart =
        false;  ///< no line comes from the subterm alone: these come from the smallest one around it that has lines
};

struct ShownLoops {
    struct Line {
        TextRange range;  ///< without indentation
        /// The places of the subterm that it comes from, in pre-order, at most MostPlaces; several if the program computes it once for
        /// all of them. Empty for lines of a function that the program calls, for sizes of parameters, and
        /// where the subterm is not known.
        std::vector<NodeIndex> nodes;
        bool isCalled = false;  ///< of a function that the program calls
        QString work;           ///< of the nest that begins here
    };
    static constexpr std::size_t MostPlaces = 16;

    QString text;
    std::vector<Line> lines;
    std::vector<LineNote> notes;    ///< by line
    std::vector<NodeIndex> linked;  ///< the places of all lines, sorted

    /// The line of a position in the text, which is not empty.
    [[nodiscard]] const Line& at(qsizetype position) const;
    /// Empty if there are none.
    [[nodiscard]] LinesOfNode linesOf(const ProgramText& program, NodeIndex node) const;
    /// The text with the work of each nest behind the line where it begins, as `mitos-cli show --as loops` prints that of exported C++.
    [[nodiscard]] QString textWithWork() const;
};

/// The form of the program itself, or that of exported C++, where short vectors became numbers and small calls were opened
/// (loops::withStaticVectors); lines that come from what was opened have the place of the call.
enum class LoopForm : std::uint8_t { Own, Exported };

/// The loop form of a program of ks, whose text is `text`. Errors are those of loops::lower; Cancelled if a stop was requested.
[[nodiscard]] Result<ShownLoops> shownLoops(const ir::TermBank& bank, const ir::Program& program,
                                            const ProgramText& text, LoopForm which, const std::stop_token& stop);

}  // namespace mitos::views
