// SPDX-License-Identifier: GPL-3.0-or-later
// Trains a policy for the genetic algorithm, into a file of its own and one that training goes on from.
#pragma once

#include "search/placement/policy_task.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::search::placement {

/// Parameters of a training: those of the network and of the steps, then those of the genetic algorithm that it trains with.
[[nodiscard]] std::vector<ParameterInfo> policyTrainingParameters();

/// Synthetic graphs as the REGAL paper has them (schedule::syntheticGraph), its four families in turn, with the seeds from `firstSeed` on.
[[nodiscard]] std::vector<schedule::TaskGraph> policyGraphs(std::uint32_t count, std::uint64_t firstSeed);

struct PolicyTraining {
    Objective objective = Objective::Runtime;
    std::vector<schedule::Problem> problems = {};  ///< on the same machine
    std::size_t trainingCount = 0;                 ///< the first ones; the others are for validation
    std::vector<std::string> graphs = {};          ///< in words, for the model
    std::string command = {};                      ///< for the model
    std::uint64_t seed = 1;
    std::uint64_t evaluations = 1'000;  ///< of each search
    ParameterValues parameters = {};    ///< resolved, of policyTrainingParameters()
    std::string path = {};              ///< of the model; learned::trainingPath() is that of the state
    bool resumes = false;               ///< goes on from the state instead of beginning anew
    std::uint32_t steps = 0;            ///< in all, with those before; 0: no limit
    std::optional<double> seconds = {};
    unsigned jobs = 1;
    std::stop_token stop = {};
    std::function<void(const learned::TrainingState&)> observer = {};  ///< gets each new point of the curve
    std::string library{learned::LearnedLibrary::FileName};            ///< LearnedLibrary::load()
};

/// Trains until a limit is reached or the token fires, and returns the best policy. After each validation the state is saved, and the best model so
/// far: so a training that is killed loses the steps since then. Fails if LibTorch is missing, if the problems or parameters make no sense, if a file
/// cannot be written (the one before stays), and if there is no state to go on from, or one of another training: the error says what is different.
[[nodiscard]] Result<PolicyModel> trainPolicy(const PolicyTraining& training);

}  // namespace mitos::search::placement
