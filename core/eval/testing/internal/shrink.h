// SPDX-License-Identifier: GPL-3.0-or-later
// Smaller programs and simpler inputs, for the search for the smallest counterexample. Private to core/eval.
#pragma once

#include "core/eval/value.h"
#include "core/ir/term_bank.h"

#include <vector>

namespace mitos::eval {

/// The amount of text in a program: nodes first, then how unusual its numbers are (0 and 1 are the simplest).
struct TermMeasure {
    std::uint64_t nodes = 0;
    double detail = 0.0;

    friend auto operator<=>(const TermMeasure&, const TermMeasure&) = default;
};
[[nodiscard]] TermMeasure measure(const ir::TermBank& bank, ir::TermId program);

/// The same measure for values.
[[nodiscard]] double measure(const Value& value);

/// Programs smaller than the given one, in the order in which to try them: its parts, with the binders around them resolved; the program
/// with a subterm replaced by one of its own parts, or by a simple term or a variable of its type; lets resolved; shorter vectors. Each
/// occurs once. `variables` are the free variables that may be used.
[[nodiscard]] std::vector<ir::TermId> smallerPrograms(ir::TermBank& bank, ir::TermId program,
                                                      const std::vector<ir::Parameter>& variables);

/// Values of the same type that are simpler, the simplest first: other numbers, shorter vectors, one element changed.
[[nodiscard]] std::vector<Value> simplerValues(const Value& value);

}  // namespace mitos::eval
