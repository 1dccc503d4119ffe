// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/parent_index.h"

namespace mitos::extract {

ParentIndex::ParentIndex(const Problem& problem)
    : m_begin(problem.classCount() + 1, 0),
      m_parents(problem.children.size()),
      m_class(problem.nodeCount()) {
    for (const std::uint32_t child : problem.children) ++m_begin[child + 1];
    for (std::size_t i = 1; i < m_begin.size(); ++i) m_begin[i] += m_begin[i - 1];
    std::vector<std::uint32_t> next(m_begin.begin(), m_begin.end() - 1);
    for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) {
        for (std::uint32_t node = problem.classBegin[eclass]; node < problem.classBegin[eclass + 1]; ++node) {
            m_class[node] = eclass;
            for (const std::uint32_t child : problem.childrenOf(node)) m_parents[next[child]++] = node;
        }
    }
}

}  // namespace mitos::extract
