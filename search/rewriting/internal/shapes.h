// SPDX-License-Identifier: GPL-3.0-or-later
// The shape of a program: the number of loops, lets, conditions and vector operators of each kind.
#pragma once

#include "core/ir/term_bank.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::search {

/// Hashes the shapes of programs. Two programs have the same hash if they contain equally many of each operator that binds a
/// variable or whose value is not a scalar; scalar computations and leaves are ignored. Caches the hashes of all terms seen and of
/// their subterms.
class Shapes {
public:
    explicit Shapes(const ir::TermBank& bank) : m_bank(bank) {}

    [[nodiscard]] std::uint64_t of(ir::TermId root);
    [[nodiscard]] std::size_t bytes() const { return m_known.capacity() * sizeof(m_known[0]); }

private:
    [[nodiscard]] std::uint64_t own(ir::TermId term) const;

    const ir::TermBank& m_bank;
    std::vector<std::optional<std::uint64_t>> m_known;  // by term; a sum over the tree, which is independent of order
};

}  // namespace mitos::search
