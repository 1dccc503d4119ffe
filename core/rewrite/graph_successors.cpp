// SPDX-License-Identifier: GPL-3.0-or-later
// See graph_successors.h.
#include "core/rewrite/graph_successors.h"

#include "core/ir/shared.h"
#include "core/rewrite/replay.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace mitos::rewrite {

using ir::TermId;

/// Looks at a state: its nodes, and where its rewrites are.
bool GraphSuccessors::visit(TermId root, absl::FunctionRef<bool()> goOn) {
    if (m_state && m_state->root() == root) return true;
    m_state.emplace(bank(), root);
    m_places.clear();
    std::uint32_t number = 0;
    const auto add = [&](TermId node, bool isTuple) {
        const Place place{number, node, isTuple};
        const auto rewrites = static_cast<std::uint32_t>(rewritesAt(place).size());
        if (rewrites > 0) m_places.push_back(place);
        number += rewrites;
    };
    bool complete = true;
    std::vector<TermId> nodes;
    ir::forEachShared(bank(), root, [&](const ir::Path&, TermId node) {
        complete = goOn();
        if (!complete) return false;
        add(node, false);
        nodes.push_back(node);
        return true;
    });
    complete = complete && m_jointPlaces.forEach(
                               nodes, [&](TermId tuple) { add(tuple, true); }, goOn);
    if (!complete) m_state.reset();
    return complete;
}

const GraphSuccessors::Place& GraphSuccessors::placeOf(std::uint32_t number) const {
    const auto after = std::ranges::upper_bound(m_places, number, {}, &Place::firstNumber);
    assert(after != m_places.begin());
    return *std::prev(after);
}

std::vector<ir::NodeReplacement> GraphSuccessors::replacementsAt(const Place& place, TermId replacement) const {
    if (!place.isTuple) return {{place.node, replacement}};
    return paired(bank(), place.node, replacement);
}

std::optional<std::uint64_t> GraphSuccessors::list(TermId root, std::vector<Successor>& successors,
                                                   absl::FunctionRef<bool()> goOn) {
    if (!visit(root, goOn)) return std::nullopt;
    std::uint64_t rewrites = 0;
    FirstOrders orders;
    for (const Place& place : m_places) {
        const auto locals = rewritesAt(place);
        for (std::uint32_t i = 0; i < locals.size(); ++i) {
            const TermId replacement = locals[i].replacement;
            const std::uint32_t rule = locals[i].rule;
            if (place.isTuple && !orders.admits(bank(), rule, place.node)) continue;
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

std::optional<Rewrite> GraphSuccessors::find(TermId root, TermId result) {
    visit(root, [] { return true; });
    for (const Place& place : m_places) {
        const auto locals = rewritesAt(place);
        for (std::size_t i = 0; i < locals.size(); ++i) {
            const TermId replacement = locals[i].replacement;
            const std::vector<ir::NodeReplacement> nodes = replacementsAt(place, replacement);
            if (ir::replaceShared(bank(), *m_state, nodes) != result) continue;
            Rewrite rewrite{.step = (place.isTuple ? m_joint : m_known).step(place.node, i),
                            .subterm = place.node,
                            .replacement = replacement,
                            .result = result};
            rewrite.step.position = *ir::firstPath(bank(), root, nodes.front().node);
            for (std::size_t k = 1; k < nodes.size(); ++k) {
                rewrite.step.furtherPositions.push_back(*ir::firstPath(bank(), root, nodes[k].node));
            }
            return rewrite;
        }
    }
    return std::nullopt;
}

std::size_t GraphSuccessors::bytes() const {
    return m_known.bytes() + m_joint.bytes() + (m_state ? m_state->size() : 0) * 3 * sizeof(TermId) +
           m_places.capacity() * sizeof(Place);
}

}  // namespace mitos::rewrite
