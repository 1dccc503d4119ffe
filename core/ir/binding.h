// SPDX-License-Identifier: GPL-3.0-or-later
// Moving terms between binders, and reaching into terms by path.
#pragma once

#include "core/ir/path.h"
#include "core/ir/term_bank.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::ir {

/// Adds `by` to every de Bruijn index that reaches outside the term: puts the term under `by` more binders.
TermId shifted(TermBank& bank, TermId term, std::uint32_t by);

/// Whether the bound variable `index` (as seen from outside the term) occurs in it.
bool mentions(const TermBank& bank, TermId term, std::uint32_t index);

/// How often the bound variable `index` occurs, counted as a tree.
std::uint64_t occurrences(const TermBank& bank, TermId term, std::uint32_t index);

/// Whether the free variable occurs in the term.
bool mentionsFree(const TermBank& bank, TermId term, Symbol name);

/// The general capture-avoiding substitution: each loose bound variable of `term` with an index below `count` is replaced
/// by what `map` gives for its index (and type), a term of the new surroundings; under binders of `term` that is shifted
/// as needed. `by` is added to the other loose indices (by >= -count).
TermId substituteLoose(TermBank& bank, TermId term, std::uint32_t count, std::int32_t by,
                       absl::FunctionRef<TermId(std::uint32_t, TypeId)> map);

/// body[x := value], where x is the variable 0 of body and body's other loose variables move out by one.
TermId instantiate(TermBank& bank, TermId body, TermId value);

/// The term at a path below root, or nothing if the path leads nowhere.
std::optional<TermId> subterm(const TermBank& bank, TermId root, const Path& path);

/// The binders passed on the way to a path, outermost first.
std::vector<TermId> bindersAbove(const TermBank& bank, TermId root, const Path& path);

/// root with the occurrence at path replaced. The replacement is a term of the same surroundings and type.
/// Errors: no such path, types that do not fit.
Result<TermId> replaceAt(TermBank& bank, TermId root, const Path& path, TermId replacement);

/// Every path of the tree in pre-order, with its term. Return false from visit to skip what is below.
void forEachSubterm(const TermBank& bank, TermId root, absl::FunctionRef<bool(const Path&, TermId)> visit);

}  // namespace mitos::ir
