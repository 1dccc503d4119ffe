// SPDX-License-Identifier: GPL-3.0-or-later
// See shapes.h.
#include "search/rewriting/internal/shapes.h"

#include "core/base/hash.h"

#include <algorithm>

namespace mitos::search {

std::uint64_t Shapes::own(ir::TermId term) const {
    const ir::TypeKind kind = m_bank.types().kind(m_bank.type(term));
    const bool scalar = kind != ir::TypeKind::Tensor && kind != ir::TypeKind::Tuple && kind != ir::TypeKind::Lambda;
    const bool binds = m_bank.registry().info(m_bank.op(term)).bindingChild != ir::OperatorInfo::BindsNothing;
    const bool leaf = m_bank.childCount(term) == 0;
    return leaf || (scalar && !binds) ? 0 : mixBits(m_bank.registry().hash(m_bank.op(term)));
}

std::uint64_t Shapes::of(ir::TermId root) {
    m_known.resize(std::max(m_known.size(), m_bank.size()));
    std::vector<ir::TermId> open{root};  // programs may be thousands of levels deep
    while (!open.empty()) {
        const ir::TermId term = open.back();
        if (m_known[term.value]) {
            open.pop_back();
            continue;
        }
        std::uint64_t sum = own(term);
        bool complete = true;
        for (const ir::TermId child : m_bank.children(term)) {
            if (const auto& known = m_known[child.value]) {
                sum += *known;
            } else {
                open.push_back(child);
                complete = false;
            }
        }
        if (complete) m_known[term.value] = sum;
    }
    return *m_known[root.value];
}

}  // namespace mitos::search
