// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/internal/mentions.h"

#include <algorithm>
#include <variant>

namespace mitos::loops {

Mentions::Mentions(const Function& function, const Block& block) : m_function(function) {
    for (std::size_t i = 0; i < block.statements.size(); ++i) update(block.statements[i], i);
}

const std::vector<std::size_t>& Mentions::of(SymbolId symbol) const {
    const auto known = m_places.find(symbol);
    return known == m_places.end() ? m_none : known->second;
}

void Mentions::update(const Statement& statement, std::size_t place) {
    SymbolSet symbols;
    addMentioned(m_function, statement, symbols);
    for (const SymbolId symbol : symbols) {
        std::vector<std::size_t>& places = m_places[symbol];
        const auto at = std::ranges::lower_bound(places, place);
        if (at == places.end() || *at != place) places.insert(at, place);
    }
}

void Mentions::forget(const Statement& statement, std::size_t place) {
    SymbolSet symbols;
    addMentioned(m_function, statement, symbols);
    for (const SymbolId symbol : symbols) std::erase(m_places[symbol], place);
}

Statement emptyStatement() { return {If{}, {}}; }

void removeEmptyStatements(Block& block) {
    std::erase_if(block.statements, [](const Statement& statement) {
        const auto* const conditional = std::get_if<If>(&statement.what);
        return conditional != nullptr && !conditional->condition.isValid();
    });
}

}  // namespace mitos::loops
