// SPDX-License-Identifier: GPL-3.0-or-later
// One step of Algorithm 1 of the Knossos paper: the states that a search with a network visits, and a pass over states and their targets.
#pragma once

#include "search/learned/optimizer.h"
#include "search/rewriting/experience.h"
#include "search/rewriting/learned_value.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::search {

/// How states are found and fitted.
struct LearningSettings {
    std::uint32_t depth = 10;           ///< of the searches
    std::uint64_t evaluations = 5'000;  ///< of each search
    std::string guide = {};             ///< a value function that guides the searches; empty: the network itself
    std::uint32_t batch = 16;           ///< states of a step
    std::uint64_t samples = 0;          ///< states of each experience that are fitted, drawn at random; 0: all
    double learningRate = 1e-3;
    double longestGradient = 10.0;
    bool expandedOnly = true;  ///< states without a known successor are not fitted
};

/// These settings as parameters, and back from their values.
[[nodiscard]] std::vector<ParameterInfo> learningParameters();
[[nodiscard]] LearningSettings learningSettings(const ParameterValues& values);

/// The states that an A* search with a value function visits. The problem's budget and parameters do not count. After a stop they are fewer.
[[nodiscard]] Result<Experience> visitedStates(const SearchProblem& problem, const ValueModel& model,
                                               std::unique_ptr<learned::ValueNetwork> network,
                                               const LearningSettings& settings, std::stop_token stop);

/// Computes the hints of the states that can be fitted: those with a successor.
void addHints(Experience& experience, ValueHints& hints);

/// One pass over the states, in random order: Huber loss on the reduction by step, for each time. Returns the mean loss of a state. Experiences
/// have hints if the model does.
[[nodiscard]] Result<double> fit(const ValueModel& model, learned::ValueNetwork& network, learned::Adam& optimizer,
                                 std::span<const Experience> experiences, const LearningSettings& settings,
                                 std::uint64_t seed);

}  // namespace mitos::search
