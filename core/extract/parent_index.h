// SPDX-License-Identifier: GPL-3.0-or-later
// The parent nodes of each class and the class of each node: upward traversal of an e-graph.
#pragma once

#include "core/extract/problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::extract {

class ParentIndex {
public:
    explicit ParentIndex(const Problem& problem);

    /// Nodes with the class among their children, repeated for each occurrence.
    [[nodiscard]] std::span<const std::uint32_t> parentsOf(std::uint32_t eclass) const {
        return {m_parents.data() + m_begin[eclass], m_begin[eclass + 1] - m_begin[eclass]};
    }
    [[nodiscard]] std::uint32_t classOf(std::uint32_t node) const { return m_class[node]; }

private:
    std::vector<std::uint32_t> m_begin;
    std::vector<std::uint32_t> m_parents;
    std::vector<std::uint32_t> m_class;
};

}  // namespace mitos::extract
