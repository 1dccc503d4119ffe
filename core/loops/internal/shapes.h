// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes of vectors that are known before the vectors are computed. Private to core/loops.
#pragma once

#include "core/ir/term_bank.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::loops {

[[nodiscard]] inline bool is(const ir::TermBank& bank, ir::TermId term, ks::Op op) {
    return ks::ksOp(bank.op(term)) == op;
}

/// A term that may be evaluated before the one in which it stands: below `binders` binders of that term, of which it mentions none.
struct EarlyTerm {
    ir::TermId term;
    std::uint32_t binders = 0;
};

/// The shape of a value, told by terms that may be evaluated before the value. Without size and example, the type alone tells it.
struct EarlyShape {
    std::optional<EarlyTerm> size =
        {};                ///< the number of elements of a vector: a name, a literal or the size of a name
    Symbol sizeName = {};  ///< instead of `size`: a number, or a size of the function
    std::vector<EarlyShape> parts = {};     ///< of a vector: that of each element, one; of a tuple: of its elements
    std::optional<EarlyTerm> example = {};  ///< a value of the same shape, which exists already
    Symbol exampleName = {};                ///< instead of `example`: a parameter
};

/// The shapes that a function states.
struct DeclaredShapes {
    absl::flat_hash_map<Symbol, ir::TypeId> parameters = {};  ///< their types, with the names of sizes
    absl::flat_hash_set<Symbol> sizes = {};                   ///< those that have a value in the function's code
};

/// Whether a number of elements may be computed even if nothing needs it: computing it is cheap and cannot fail.
[[nodiscard]] bool mayBeComputedBefore(const ir::TermBank& bank, ir::TermId size);

/// The shape that a vector, or a tuple of vectors, has in every case, if the term states one. A sum with parts of other shapes is an error of the program.
[[nodiscard]] std::optional<EarlyShape> earlyShapeOf(const ir::TermBank& bank, const DeclaredShapes& declared,
                                                     ir::TermId value);

/// Whether two shapes, told at any two places of a function, are known to be the same.
[[nodiscard]] bool areSame(const ir::TermBank& bank, const DeclaredShapes& declared, const EarlyShape& a,
                           const EarlyShape& b);

/// The count n of (if (gt n 0) (sumbuild n f) zero): the sum of f over n, which is zero if there are no summands; invalid for other terms.
[[nodiscard]] ir::TermId countOfSumOrZero(const ir::TermBank& bank, ir::TermId term);

/// Whether all numbers of a tangent are 0.0, and it has the numbers only.
[[nodiscard]] bool isZero(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::loops
