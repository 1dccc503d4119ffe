// SPDX-License-Identifier: GPL-3.0-or-later
// Experience: programs, and the cost reductions that were realized from them. A search and a stored thread give it in one way.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mitos::search {

/// A step between two states, by their numbers.
struct StateEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;

    friend bool operator==(const StateEdge&, const StateEdge&) = default;
};

/// V^target of the Knossos paper (Algorithm 2): for each state the largest cost reduction within 1, 2, … `times` steps along the edges; a row
/// for each state. It is never negative, since a state may stay as it is, and never falls with time.
[[nodiscard]] std::vector<double> reductionsWithin(std::span<const double> costs, std::span<const StateEdge> edges,
                                                   std::uint32_t times);

/// States that were visited in one search, or those of a thread.
struct Experience {
    std::shared_ptr<const ir::TermBank> bank;
    ir::Program program;  ///< the start
    std::vector<ir::TermId> roots;
    std::vector<double> costs;
    std::vector<StateEdge> edges;
    std::vector<std::vector<float>> hints;  ///< by state, as ValueHints makes them; empty where they are not known

    [[nodiscard]] std::size_t size() const { return roots.size(); }
};

}  // namespace mitos::search
