// SPDX-License-Identifier: GPL-3.0-or-later
// Records which parts of one program the terms of another one are made for, while these are made.
#pragma once

#include "core/base/strong_id.h"
#include "core/ir/ids.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <cstdint>

namespace mitos::ir {

/// Parts are numbers that the caller gives. Equal terms have the parts of all of them.
class TermOrigins {
public:
    using Parts = absl::InlinedVector<std::uint32_t, 2>;  // sorted

    /// The value of a variable is made for that part.
    void note(Symbol variable, std::uint32_t part);
    /// The term is made for that part.
    void note(TermId term, std::uint32_t part);
    /// The term is the value of the variable.
    void noteValue(Symbol variable, TermId term);
    /// The term replaces another one.
    void carry(TermId from, TermId to);

    [[nodiscard]] const absl::flat_hash_map<TermId, Parts>& terms() const { return m_terms; }

private:
    absl::flat_hash_map<Symbol, Parts> m_variables;
    absl::flat_hash_map<TermId, Parts> m_terms;
};

}  // namespace mitos::ir
