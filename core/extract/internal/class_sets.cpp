// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/class_sets.h"

#include <bit>

namespace mitos::extract {

void ClassSets::insert(Set& set, std::uint32_t number) {
    const std::uint32_t place = number / (64 * Words);
    if (set.size() <= place) set.resize(place + 1, 0);
    Block block = m_blocks[set[place]];
    block[number / 64 % Words] |= std::uint64_t{1} << (number % 64);
    set[place] = static_cast<std::uint32_t>(m_blocks.size());
    m_blocks.push_back(block);
}

double ClassSets::unite(Set& into, const Set& from, std::span<const double> weight) {
    double added = 0.0;
    if (into.size() < from.size()) into.resize(from.size(), 0);
    for (std::uint32_t place = 0; place < from.size(); ++place) {
        if (from[place] == into[place] || from[place] == 0) continue;
        const Block mine = m_blocks[into[place]];
        const Block other = m_blocks[from[place]];
        Block both = mine;
        bool isSubset = true;    // other ⊆ mine
        bool isSuperset = true;  // mine ⊆ other
        for (std::uint32_t word = 0; word < Words; ++word) {
            std::uint64_t fresh = other[word] & ~mine[word];
            isSubset = isSubset && fresh == 0;
            isSuperset = isSuperset && (mine[word] & ~other[word]) == 0;
            both[word] |= fresh;
            for (; fresh != 0; fresh &= fresh - 1) {
                added += weight[(place * Words + word) * 64 + static_cast<std::uint32_t>(std::countr_zero(fresh))];
            }
        }
        if (isSubset) continue;
        if (isSuperset) {
            into[place] = from[place];
            continue;
        }
        into[place] = static_cast<std::uint32_t>(m_blocks.size());
        m_blocks.push_back(both);
    }
    return added;
}

}  // namespace mitos::extract
