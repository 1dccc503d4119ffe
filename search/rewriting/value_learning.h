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

/// How states are found and fitted. Defaults are those of trials with the paper's arithmetic sets (resources/decisions.md, "A value function needs labels
/// and a discount"). Algorithm 1 itself has 5,000 evaluations, no labels, and a discount of 1.
struct LearningSettings {
    std::uint32_t depth = 10;         ///< of the searches
    std::uint64_t evaluations = 300;  ///< of each search
    std::string guide = {};           ///< a value function that guides the searches; empty: the network itself
    /// So many of the visited states get a search of their own, whose reduction is their target; half of them are those that the network
    /// rates highest, the others are drawn at random. 0: the targets come from the search that visited them.
    std::uint32_t labels = 30;
    std::uint64_t labelEvaluations = 500;  ///< of each of these
    std::string labelGuide = "potential";  ///< as `guide`, of these
    double discount = 0.9;                 ///< see reductionsWithin()
    std::uint32_t passes = 6;              ///< over the examples of an epoch
    std::uint32_t batch = 32;              ///< states of a step
    std::uint64_t samples = 0;             ///< states of each experience that are fitted, drawn at random; 0: all
    double learningRate = 1e-3;
    double averaging = 0.998;  ///< see learned::Adam::average
    double longestGradient = 10.0;
    /// The error for t steps left is weighted by t to this power. The paper has 0: errors of the value by step.
    double timeWeight = 1.0;
};

/// These settings as parameters, and back from their values.
[[nodiscard]] std::vector<ParameterInfo> learningParameters();
[[nodiscard]] LearningSettings learningSettings(const ParameterValues& values);

/// The states that an A* search with a value function visits, and with labels those that the searches from them visit. The problem's budget and parameters
/// do not count, its seed does. After a stop they are fewer.
[[nodiscard]] Result<Experience> visitedStates(const SearchProblem& problem, const ValueModel& model,
                                               const learned::ValueNetwork& network, const LearningSettings& settings,
                                               const std::stop_token& stop);

/// Computes the hints of the states to learn from.
void addHints(Experience& experience, ValueHints& hints);

/// Passes over the examples, in random order: Huber loss on the reduction by step, for each time. Returns the mean loss of a state in the last pass.
/// Experiences have hints if the model does. Fails with Cancelled after a stop; network and optimizer are then those within a pass.
[[nodiscard]] Result<double> fit(const ValueModel& model, learned::ValueNetwork& network, learned::Adam& optimizer,
                                 std::span<const Experience> experiences, const LearningSettings& settings,
                                 std::uint64_t seed, const std::stop_token& stop = {});

}  // namespace mitos::search
