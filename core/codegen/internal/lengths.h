// SPDX-License-Identifier: GPL-3.0-or-later
// Lengths of vectors that are known before the vectors are computed. Private to core/codegen.
#pragma once

#include "core/ir/term_bank.h"

#include <cstdint>
#include <optional>

namespace mitos::codegen {

/// A number of elements that may be computed before the vector: a name, a literal or the size of a name. It stands below `binders` binders
/// of the vector's term and mentions none of them.
struct Length {
    ir::TermId size;
    std::uint32_t binders = 0;
};
/// Whether a number of elements may be computed even if nothing needs it: computing it is cheap and cannot fail.
[[nodiscard]] bool mayBeComputedBefore(const ir::TermBank& bank, ir::TermId size);

/// The length that a vector has in every case, if the term states one. A sum with parts of other lengths is an error of the program.
[[nodiscard]] std::optional<Length> lengthOf(const ir::TermBank& bank, ir::TermId vector);

/// The length n of (if (gt n 0) (sumbuild n f) zero): the sum of f over n, which is zero if there are no summands; invalid for other terms.
[[nodiscard]] ir::TermId countOfSumOrZero(const ir::TermBank& bank, ir::TermId term);

/// Whether all numbers of a constant are 0.0.
[[nodiscard]] bool isZero(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::codegen
