// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/origins.h"

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

Origins OriginLog::origins() const {
    Origins origins;
    for (const auto& [term, places] : m_made.terms()) {
        std::vector<ir::Path>& paths = origins[term];
        for (const std::uint32_t place : places) paths.push_back(m_paths[place]);
    }
    return origins;
}

}  // namespace mitos::autodiff
