// SPDX-License-Identifier: GPL-3.0-or-later
// Copies terms, types, functions and programs from one bank to another.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

namespace mitos::ir {

/// Keeps what it copied, so that copying many states of one program costs only what is new. The destination's registry
/// must hold the source's operators under the same ids (be the same, or extend it). Functions that the destination
/// already knows under the same name and argument are taken to be the same.
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
