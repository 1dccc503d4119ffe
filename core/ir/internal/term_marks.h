// SPDX-License-Identifier: GPL-3.0-or-later
// A set of subterms of one term, for traversals: in a small bank it has a bit for each term, which is several times as fast as a hash set.
#pragma once

#include "core/ir/ids.h"

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mitos::ir {

class TermMarks {
public:
    /// Subterms were built before the root, so that their ids are smaller.
    explicit TermMarks(TermId root) : m_bits(root.value < MostBits ? std::size_t{root.value} + 1 : 0) {}

    /// Whether it was not there. The term must be a subterm of the root, or the root.
    bool insert(TermId term) {
        if (m_bits.empty()) return m_others.insert(term).second;
        if (m_bits[term.value]) return false;
        m_bits[term.value] = true;
        return true;
    }
    /// For any term.
    [[nodiscard]] bool contains(TermId term) const {
        if (m_bits.empty()) return m_others.contains(term);
        return term.value < m_bits.size() && m_bits[term.value];
    }

private:
    static constexpr std::uint32_t MostBits = 1U << 20U;  // 128 KiB, cleared faster than a thousand terms are hashed

    std::vector<bool> m_bits;
    absl::flat_hash_set<TermId> m_others;  ///< in a large bank
};

}  // namespace mitos::ir
