// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/term_origins.h"

#include <algorithm>

namespace mitos::ir {

namespace {

void unite(TermOrigins::Parts& parts, const TermOrigins::Parts& others) {
    for (const std::uint32_t part : others) {
        const auto at = std::ranges::lower_bound(parts, part);
        if (at == parts.end() || *at != part) parts.insert(at, part);
    }
}

}  // namespace

void TermOrigins::note(Symbol variable, std::uint32_t part) { unite(m_variables[variable], {part}); }

void TermOrigins::note(TermId term, std::uint32_t part) { unite(m_terms[term], {part}); }

void TermOrigins::noteValue(Symbol variable, TermId term) {
    if (const auto known = m_variables.find(variable); known != m_variables.end()) unite(m_terms[term], known->second);
}

void TermOrigins::carry(TermId from, TermId to) {
    const auto known = m_terms.find(from);
    if (from == to || known == m_terms.end()) return;
    const Parts parts = known->second;
    unite(m_terms[to], parts);
}

}  // namespace mitos::ir
