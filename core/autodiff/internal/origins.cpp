// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/origins.h"

#include <algorithm>

namespace mitos::autodiff {

Origin OriginLog::inner(Origin origin, std::uint32_t child) {
    if (origin.isWhole) return origin;
    const auto next = static_cast<std::uint32_t>(m_paths.size());
    const auto [known, isNew] = m_children.try_emplace({origin.place, child}, next);
    if (isNew) {
        ir::Path path = ir::child(m_paths[origin.place], child);
        m_paths.push_back(std::move(path));
    }
    return {known->second, false};
}

void OriginLog::unite(Places& places, const Places& others) {
    for (const std::uint32_t place : others) {
        const auto at = std::ranges::lower_bound(places, place);
        if (at == places.end() || *at != place) places.insert(at, place);
    }
}

void OriginLog::note(Symbol variable, Origin origin) { unite(m_variables[variable], {origin.place}); }

void OriginLog::noteTerm(ir::TermId term, Origin origin) { unite(m_terms[term], {origin.place}); }

void OriginLog::noteValue(Symbol variable, ir::TermId term) {
    if (const auto known = m_variables.find(variable); known != m_variables.end()) unite(m_terms[term], known->second);
}

void OriginLog::carry(ir::TermId from, ir::TermId to) {
    const auto known = m_terms.find(from);
    if (from == to || known == m_terms.end()) return;
    const Places places = known->second;
    unite(m_terms[to], places);
}

Origins OriginLog::origins() const {
    Origins origins;
    for (const auto& [term, places] : m_terms) {
        std::vector<ir::Path>& paths = origins[term];
        for (const std::uint32_t place : places) paths.push_back(m_paths[place]);
    }
    return origins;
}

}  // namespace mitos::autodiff
