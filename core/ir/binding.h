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

/// Adds `by` to every loose de Bruijn index of the term, so that the term can stand under `by` more binders.
TermId shifted(TermBank& bank, TermId term, std::uint32_t by);

/// Whether the bound variable `index` (as seen from outside the term) occurs in it.
bool mentions(const TermBank& bank, TermId term, std::uint32_t index);

/// Whether the free variable occurs in the term.
bool mentionsFree(const TermBank& bank, TermId term, Symbol name);

/// The general capture-avoiding substitution. Each loose bound variable of `term` with an index below `count` is replaced by
/// the term that `map` returns for its index and type. That term belongs to the new context; it is shifted as needed under binders of
/// `term`. `by` is added to the other loose indices (by >= -count).
TermId substituteLoose(TermBank& bank, TermId term, std::uint32_t count, std::int32_t by,
                       absl::FunctionRef<TermId(std::uint32_t, TypeId)> map);

/// body[x := value], where x is the variable 0 of body; the other loose indices of body decrease by one.
TermId instantiate(TermBank& bank, TermId body, TermId value);

/// The term at a path below root, or nothing if the path does not exist.
std::optional<TermId> subterm(const TermBank& bank, TermId root, const Path& path);

/// The binders above a path, outermost first.
std::vector<TermId> bindersAbove(const TermBank& bank, TermId root, const Path& path);

/// root with the occurrence at path replaced. The replacement is a term of the same context and type.
/// Fails if the path does not exist or the types do not match.
Result<TermId> replaceAt(TermBank& bank, TermId root, const Path& path, TermId replacement);

/// Visits every path of the tree in pre-order, with its term. If visit returns false, the subterms below are skipped.
void forEachSubterm(const TermBank& bank, TermId root, absl::FunctionRef<bool(const Path&, TermId)> visit);

}  // namespace mitos::ir
