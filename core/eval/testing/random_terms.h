// SPDX-License-Identifier: GPL-3.0-or-later
// Random well-typed ks terms, for tests of rules, printing and code generation.
#pragma once

#include "core/base/random.h"
#include "core/ir/term_bank.h"

#include <cstdint>
#include <vector>

namespace mitos::eval {

/// The variables that a random term may mention.
struct TermScope {
    std::vector<ir::Parameter> free;  ///< free variables (parameters, size names); declared types are fine
    std::vector<ir::TypeId> bound;    ///< types of bound variables, outermost first: the last one is index 0
    std::int64_t usualSize = 0;       ///< size of most tensors; 0: drawn for each term, 1 to 3
    bool hasLoops = false;            ///< whether terms have loops with exits
};

/// A term of the (erased) type with about maxSize nodes at most (slightly more if the type itself needs them). Total: every type has
/// terms; a (Lam S T) gives a lambda, an (LM S T) a constructed linear map. Most terms run without an error on inputs whose sizes are 1
/// to 4 (sizes are small literals or sizes of vectors in scope, indices mostly 0), but not all do: an index may be out of range, and
/// vectors of different sizes may be combined. Effects (print, $trace, $BENCH) and calls never occur. The same seed gives the same term
/// in every bank.
[[nodiscard]] ir::TermId randomTerm(ir::TermBank& bank, ir::TypeId type, const TermScope& scope, Random& random,
                                    std::uint32_t maxSize);

/// A small type for a variable: mostly Float, else Integer, Bool, a (Vec Float) or a pair.
[[nodiscard]] ir::TypeId randomType(ir::TermBank& bank, Random& random);

}  // namespace mitos::eval
