// SPDX-License-Identifier: GPL-3.0-or-later
// See graph_successors.h.
#include "core/rewrite/graph_successors.h"

#include "core/ir/shared.h"
#include "core/rewrite/internal/replay.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace mitos::rewrite {

using ir::TermId;

/// Makes a state the last visited one: collects its nodes and the places of its rewrites. Returns false if `goOn` returned false.
bool GraphSuccessors::visit(TermId root, absl::FunctionRef<bool()> goOn) {
    if (m_state && m_state->root() == root) return true;
    m_state.emplace(bank(), root);
    m_places.clear();
    std::uint32_t number = 0;
    const auto add = [&](const Place& place) {
        const std::span<const KnownRewrites::Local> rewrites = rewritesAt(place);
        const auto isMeant = [&](const auto& one) { return !place.joint || one.rule == *place.joint; };
        if (std::ranges::none_of(rewrites, isMeant)) return false;
        m_places.push_back(place);
        number += static_cast<std::uint32_t>(rewrites.size());
        return true;
    };
    bool complete = true;
    std::vector<TermId> nodes;
    ir::forEachShared(bank(), root, [&](const ir::Path&, TermId node) {
        complete = goOn();
        if (!complete) return false;
        add({number, node});
        nodes.push_back(node);
        return true;
    });
    complete = complete && m_jointPlaces.forEach(
                               nodes,
                               [&](TermId tuple, std::uint32_t rule) {
                                   return add({number, tuple, rule});
                               },
                               goOn);
    if (!complete) m_state.reset();
    return complete;
}

const GraphSuccessors::Place& GraphSuccessors::placeOf(std::uint32_t number) const {
    const auto after = std::ranges::upper_bound(m_places, number, {}, &Place::firstNumber);
    assert(after != m_places.begin());
    return *std::prev(after);
}

std::vector<ir::NodeReplacement> GraphSuccessors::replacementsAt(const Place& place, TermId replacement) const {
    if (!place.joint) return {{place.node, replacement}};
    return paired(bank(), place.node, replacement);
}

std::optional<std::uint64_t> GraphSuccessors::list(TermId root, std::vector<Successor>& successors,
                                                   absl::FunctionRef<bool()> goOn) {
    if (!visit(root, goOn)) return std::nullopt;
    std::uint64_t rewrites = 0;
    for (const Place& place : m_places) {
        const auto locals = rewritesAt(place);
        for (std::uint32_t i = 0; i < locals.size(); ++i) {
            const TermId replacement = locals[i].replacement;
            const std::uint32_t rule = locals[i].rule;
            if (place.joint && rule != *place.joint) continue;
            if (!m_limits.allowShared(bank(), *m_state, replacementsAt(place, replacement))) continue;
            ++rewrites;
            const bool isNew = std::none_of(locals.begin(), locals.begin() + i,
                                            [&](const auto& earlier) { return earlier.replacement == replacement; });
            if (isNew) successors.push_back({place.firstNumber + i, rule});
        }
    }
    return rewrites;
}

TermId GraphSuccessors::build(TermId root, Successor successor) {
    visit(root, [] { return true; });
    const Place& place = placeOf(successor.number);
    const TermId replacement = rewritesAt(place)[successor.number - place.firstNumber].replacement;
    return ir::replaceShared(bank(), *m_state, replacementsAt(place, replacement));
}

Rewrite GraphSuccessors::rewrite(TermId root, Successor successor) {
    visit(root, [] { return true; });
    const Place& place = placeOf(successor.number);
    const std::uint32_t local = successor.number - place.firstNumber;
    const TermId replacement = rewritesAt(place)[local].replacement;
    const std::vector<ir::NodeReplacement> nodes = replacementsAt(place, replacement);
    Rewrite rewrite{.step = (place.joint ? m_joint : m_known).step(place.node, local),
                    .subterm = place.node,
                    .replacement = replacement,
                    .result = ir::replaceShared(bank(), *m_state, nodes)};
    for (const ir::NodeReplacement& each : nodes) {
        rewrite.step.positions.push_back(*ir::firstPath(bank(), root, each.node));
    }
    return rewrite;
}

std::size_t GraphSuccessors::bytes() const {
    return m_known.bytes() + m_joint.bytes() + (m_state ? m_state->size() : 0) * 3 * sizeof(TermId) +
           m_places.capacity() * sizeof(Place);
}

}  // namespace mitos::rewrite
