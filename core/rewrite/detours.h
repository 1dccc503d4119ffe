// SPDX-License-Identifier: GPL-3.0-or-later
// Shorter threads between the same two programs. Proofs from an e-graph follow the order in which its rules were applied, which is rarely
// a short way (Flatt et al., Small Proofs from Congruence Closure, 2022).
#pragma once

#include "core/rewrite/step.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace mitos::rewrite {

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

/// Removes the detours (withoutDetours) from steps in a tree, which are at `positions`; `states[i]` is the term after step i. Returns the numbers of the steps
/// that are left, in their order, and leaves their states.
[[nodiscard]] std::vector<std::uint32_t> cutDetours(ir::TermBank& bank, ir::TermId start,
                                                    std::span<const ir::Path* const> positions,
                                                    std::vector<ir::TermId>& states);

/// The thread without what it undoes. In a tree, steps at disjoint positions commute, so a step and its inverse are both left out also if
/// such steps are between them, and so is every detour that leads a part of the program back to a term that it was before. Steps keep
/// their order where this saves none. In a graph, only repeated states are cut out.
/// The thread must be one that the checker accepts; the result is one as well.
[[nodiscard]] Thread withoutDetours(ir::TermBank& bank, Thread thread);

struct ShorteningLimits {
    std::uint64_t rewrites = 300'000;  ///< number of rewrites that are looked at, over all rounds
};

/// A thread without detours, and with shortcuts by other instances of the rules that it uses: states are joined to those that one or two
/// rewrites by these rules lead to, and the cheapest way through all of these is taken, until none is cheaper. A step costs 1; one that applies a
/// rule of Soundness::Domain backwards, by which a term may lose its value, costs as much as several. The thread is returned as it is if the checker
/// does not accept the result, or if fewer of its values are shown to stay defined (definedness.h). Threads of graphs only lose repeated states.
/// Deterministic. When stopped, returns the best thread so far.
[[nodiscard]] Thread shortened(ir::TermBank& bank, const Thread& thread, const ShorteningLimits& limits = {},
                               const std::stop_token& stop = {});

}  // namespace mitos::rewrite
