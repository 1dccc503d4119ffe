// SPDX-License-Identifier: GPL-3.0-or-later
// See value_memory.h.
#include "core/cost/value_memory.h"

#include "core/cost/internal/node_work.h"

#include <absl/container/flat_hash_map.h>

#include <utility>

namespace mitos::cost {

using ir::TermId;

ValueMemory::ValueMemory(const ir::TermBank& bank, AssumedSizes sizes) : m_bank(bank), m_sizes(std::move(sizes)) {}

/// Requires earlier calls for the children.
const ValueMemory::Known& ValueMemory::known(TermId term) {
    if (term.value >= m_known.size()) m_known.resize(m_bank.size());
    std::optional<Known>& known = m_known[term.value];
    if (!known) {
        const bool isOffline = cost::isOffline(
            m_bank, term, [&](std::size_t child) { return m_known[m_bank.child(term, child).value]->isOffline; });
        const Node node = nodeOf(m_bank, term, isOffline, m_inputs);
        const NodeWork work = workOf(node, m_sizes);
        known = {work.bytes, isInItsInput(node, work), isOffline};
    }
    return *known;
}

std::vector<ValuePlace> ValueMemory::placesOf(const ir::SharedNodes& nodes) {
    std::vector<ValuePlace> places;
    places.reserve(nodes.size());
    absl::flat_hash_map<TermId, std::size_t> numbers;
    for (const TermId node : nodes) {
        const std::size_t at = places.size();
        numbers.emplace(node, at);
        const Known value = known(node);
        ValuePlace place{.holder = at};
        if (!value.isOffline && value.isInItsInput) {
            place.kind = ValuePlace::Kind::Elsewhere;
            place.holder = places[numbers.at(m_bank.child(node, 0))].holder;
        } else if (!value.isOffline && !m_bank.is(node, ir::CoreOp::Tuple)) {
            place.kind = m_bank.is(node, ir::CoreOp::Variable) ? ValuePlace::Kind::Input : ValuePlace::Kind::Computed;
            place.bytes = value.bytes;
        }
        places.push_back(place);
        const bool isRoot = places.size() == nodes.size();
        const auto hold = [&places](std::size_t number, double bytes) {
            places[number].kind = ValuePlace::Kind::Resident;
            places[number].bytes = bytes;
        };
        if (value.isOffline) {
            if (isRoot) hold(at, value.bytes);
            continue;
        }
        for (const TermId child : m_bank.children(node)) {
            if (known(child).isOffline) hold(numbers.at(child), known(child).bytes);
        }
    }
    return places;
}

}  // namespace mitos::cost
