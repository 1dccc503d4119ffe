// SPDX-License-Identifier: GPL-3.0-or-later
// Paths in the proof forest of an e-graph, and removal of cycles from proofs. Private to core/egraph.
#pragma once

#include "core/egraph/egraph.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace mitos::egraph {

/// An edge of the proof forest, and the direction in which a path follows it.
struct PathEdge {
    ENodeId below;
    ENodeId above;
    Reason reason = Asserted;
    bool isUp = true;
};

/// The path from one member of a class to another, through their lowest common ancestor.
[[nodiscard]] std::vector<PathEdge> proofPath(const EGraph& graph, ENodeId from, ENodeId to);

/// Cuts out cycles: steps that lead back to an earlier state. `states[i]` is the state after `steps[i]`.
template <typename State, typename Step>
void cutCycles(State start, std::vector<Step>& steps, std::vector<State>& states) {
    absl::flat_hash_map<State, std::size_t> lengthAt{{start, 0}};
    std::size_t length = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (const auto known = lengthAt.find(states[i]); known != lengthAt.end()) {
            const std::size_t before = known->second;
            for (std::size_t k = before; k < length; ++k) lengthAt.erase(states[k]);
            length = before;
            continue;
        }
        if (i != length) {
            steps[length] = std::move(steps[i]);
            states[length] = states[i];
        }
        lengthAt.emplace(states[length], length + 1);
        ++length;
    }
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(length), steps.end());
    states.resize(length);
}

}  // namespace mitos::egraph
