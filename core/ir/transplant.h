// SPDX-License-Identifier: GPL-3.0-or-later
// Copies terms, types, functions and programs from one bank to another.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

namespace mitos::ir {

/// Remembers its copies, so that copying many states of one program costs only as much as their new parts. The destination's
/// registry must contain the source's operators under the same ids (be the same registry, or extend it). Functions with the same
/// name and argument in the destination are assumed to be the same.
class Transplanter {
public:
    Transplanter(const TermBank& from, TermBank& to);

    TermId term(TermId id);
    TypeId type(TypeId id);
    Symbol symbol(Symbol id);
    FunctionId function(FunctionId id);
    Program program(const Program& program);

private:
    TermId copied(TermId id);
    FunctionId oneFunction(FunctionId id);

    const TermBank& m_from;
    TermBank& m_to;
    absl::flat_hash_map<TermId, TermId> m_terms;
    absl::flat_hash_map<TypeId, TypeId> m_types;
    absl::flat_hash_map<FunctionId, FunctionId> m_functions;
};

}  // namespace mitos::ir
