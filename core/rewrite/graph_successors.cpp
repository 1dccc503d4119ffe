// SPDX-License-Identifier: GPL-3.0-or-later
// See graph_successors.h.
#include "core/rewrite/graph_successors.h"

#include "core/ir/shared.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace mitos::rewrite {

using ir::TermId;

GraphSuccessors::Entry GraphSuccessors::known(TermId term) {
    if (term.value < m_entryOf.size() && m_entryOf[term.value] != Unknown) return m_entries[m_entryOf[term.value]];
    Entry entry{.firstLocal = static_cast<std::uint32_t>(m_locals.size())};
    m_local.forEach(term, [&](std::uint32_t rule, const rules::Substitution&, TermId replacement) {
        m_locals.push_back({replacement, rule});
        return true;
    });
    entry.localCount = static_cast<std::uint32_t>(m_locals.size()) - entry.firstLocal;
    if (m_entryOf.size() < m_local.bank().size()) m_entryOf.resize(m_local.bank().size(), Unknown);
    m_entryOf[term.value] = static_cast<std::uint32_t>(m_entries.size());
    m_entries.push_back(entry);
    return entry;
}

/// Looks at a state: its nodes, and where its rewrites are.
bool GraphSuccessors::visit(TermId root, absl::FunctionRef<bool()> goOn) {
    if (m_state && m_state->root() == root) return true;
    m_state.emplace(m_local.bank(), root);
    m_places.clear();
    std::uint32_t number = 0;
    bool complete = true;
    ir::forEachShared(m_local.bank(), root, [&](const ir::Path&, TermId node) {
        complete = goOn();
        if (!complete) return false;
        const Entry entry = known(node);
        if (entry.localCount > 0) m_places.push_back({number, node});
        number += entry.localCount;
        return true;
    });
    if (!complete) m_state.reset();
    return complete;
}

const GraphSuccessors::Place& GraphSuccessors::placeOf(std::uint32_t number) const {
    const auto after = std::ranges::upper_bound(m_places, number, {}, &Place::firstNumber);
    assert(after != m_places.begin());
    return *std::prev(after);
}

std::optional<std::uint64_t> GraphSuccessors::list(TermId root, std::vector<Successor>& successors,
                                                   absl::FunctionRef<bool()> goOn) {
    if (!visit(root, goOn)) return std::nullopt;
    std::uint64_t rewrites = 0;
    for (const Place& place : m_places) {
        const Entry entry = known(place.node);
        for (std::uint32_t i = 0; i < entry.localCount; ++i) {
            const Local& local = m_locals[entry.firstLocal + i];
            if (!m_limits.allowShared(m_local.bank(), *m_state, place.node, local.replacement)) continue;
            ++rewrites;
            const auto first = m_locals.begin() + entry.firstLocal;
            const bool isNew = std::none_of(
                first, first + i, [&](const Local& earlier) { return earlier.replacement == local.replacement; });
            if (isNew) successors.push_back({place.firstNumber + i, local.rule});
        }
    }
    return rewrites;
}

TermId GraphSuccessors::build(TermId root, Successor successor) {
    visit(root, [] { return true; });
    const Place& place = placeOf(successor.number);
    const Local& local = m_locals[known(place.node).firstLocal + successor.number - place.firstNumber];
    return ir::replaceShared(m_local.bank(), *m_state, place.node, local.replacement);
}

std::optional<Rewrite> GraphSuccessors::find(TermId root, TermId result) {
    visit(root, [] { return true; });
    for (const Place& place : m_places) {
        const Entry entry = known(place.node);
        for (std::uint32_t i = 0; i < entry.localCount; ++i) {
            const TermId replacement = m_locals[entry.firstLocal + i].replacement;
            if (ir::replaceShared(m_local.bank(), *m_state, place.node, replacement) != result) continue;
            Rewrite rewrite{.step = {}, .subterm = place.node, .replacement = replacement, .result = result};
            rewrite.step.position = *ir::firstPath(m_local.bank(), root, place.node);
            std::uint32_t index = 0;
            m_local.forEach(place.node, [&](std::uint32_t rule, const rules::Substitution& substitution, TermId) {
                if (index++ < i) return true;
                rewrite.step.rule = m_local.rules()[rule];
                rewrite.step.substitution = substitution;
                return false;
            });
            assert(rewrite.step.rule != nullptr);  // it was found before, and the order is fixed
            return rewrite;
        }
    }
    return std::nullopt;
}

std::size_t GraphSuccessors::bytes() const {
    return m_entryOf.capacity() * sizeof(std::uint32_t) + m_entries.capacity() * sizeof(Entry) +
           m_locals.capacity() * sizeof(Local) + (m_state ? m_state->size() : 0) * 3 * sizeof(TermId) +
           m_places.capacity() * sizeof(Place);
}

}  // namespace mitos::rewrite
