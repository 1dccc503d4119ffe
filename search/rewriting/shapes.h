// SPDX-License-Identifier: GPL-3.0-or-later
// What a program looks like from afar: how many loops, lets, conditions and vectors of each kind it is made of.
#pragma once

#include "core/ir/term_bank.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::search {

/// Programs with equally many of each operator that binds a variable or has no scalar value get the same number. What
/// scalars are computed how plays no part. Remembers the number of every term it was asked about, and of those below.
class Shapes {
public:
    explicit Shapes(const ir::TermBank& bank) : m_bank(bank) {}

    [[nodiscard]] std::uint64_t of(ir::TermId root);
    [[nodiscard]] std::size_t bytes() const { return m_known.capacity() * sizeof(m_known[0]); }

private:
    [[nodiscard]] std::uint64_t own(ir::TermId term) const;

    const ir::TermBank& m_bank;
    std::vector<std::optional<std::uint64_t>> m_known;  // by term; the sum over a tree needs no order
};

}  // namespace mitos::search
