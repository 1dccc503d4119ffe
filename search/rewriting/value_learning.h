// SPDX-License-Identifier: GPL-3.0-or-later
// Training of a value function by the searches that it guides: Algorithm 1 of the Knossos paper.
#pragma once

#include "search/learned/optimizer.h"
#include "search/rewriting/experience.h"
#include "search/rewriting/learned_value.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace mitos::search {

/// The states that an A* search with a value function visits.
[[nodiscard]] Result<Experience> visitedStates(const SearchProblem& problem, const ValueModel& model,
                                               std::unique_ptr<learned::ValueNetwork> network, std::uint32_t depth,
                                               std::stop_token stop, double* best, const char* other = nullptr);

struct FitSettings {
    std::uint32_t batch = 16;
    std::uint64_t samples = 0;  ///< states of each experience that are fitted, drawn at random; 0: all
    double learningRate = 1e-3;
    double longestGradient = 10.0;
    bool expandedOnly = true;
};

/// One pass over the states, in random order. Returns the mean loss.
[[nodiscard]] Result<double> fit(const ValueModel& model, learned::ValueNetwork& network, learned::Adam& optimizer,
                                 std::span<const Experience> experiences, ir::Sharing sharing,
                                 const FitSettings& settings, std::uint64_t seed);

}  // namespace mitos::search
