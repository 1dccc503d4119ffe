// SPDX-License-Identifier: GPL-3.0-or-later
// The simplest terms of a type, from which counterexamples are built. Private to core/eval.
#pragma once

#include "core/ir/term_bank.h"
#include "core/ks/operators.h"

#include <initializer_list>
#include <vector>

namespace mitos::eval {

/// The operator applied to children of fitting types.
[[nodiscard]] ir::TermId make(ir::TermBank& bank, ks::Op op, std::initializer_list<ir::TermId> children);

/// Closed terms of the (erased) type, the simplest first: 0, 1, 2; false, true; tuples and short tensors of such; functions
/// that give one of them or their argument; zero and identity maps. Never empty.
[[nodiscard]] std::vector<ir::TermId> simpleTerms(ir::TermBank& bank, ir::TypeId type);

/// A term of the type made of zeros; tensors have `size` elements in each dimension. Invalid if there is none.
[[nodiscard]] ir::TermId zeroTerm(ir::TermBank& bank, ir::TypeId type, std::int64_t size);

}  // namespace mitos::eval
