// SPDX-License-Identifier: GPL-3.0-or-later
// Trains a value function by the searches that it guides (Algorithm 1 of the Knossos paper), into a file of its own and one that training goes on
// from.
#pragma once

#include "search/learned/training_file.h"
#include "search/rewriting/experience.h"
#include "search/rewriting/value_model.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::search {

/// A program to learn from, in a bank that nobody changes meanwhile.
struct TrainingProgram {
    std::shared_ptr<const ir::TermBank> bank;
    ir::Program program;
};

/// Parameters of a training: those of the network, of the epochs, and of a step (learningParameters()).
[[nodiscard]] std::vector<ParameterInfo> valueTrainingParameters();

struct ValueTraining {
    std::vector<TrainingProgram> programs = {};  ///< of one dialect
    std::size_t trainingCount = 0;               ///< the first ones; the others are for validation
    /// States of stored threads. The first epochs, as many as the parameter `replay` says, fit these and search nothing.
    std::vector<Experience> experiences = {};
    std::vector<std::string> names = {};  ///< of the programs in words, for the model
    std::vector<std::shared_ptr<const rules::DirectedRule>> rules = {};
    std::string ruleSets = {};  ///< their sets in words, for the model
    std::shared_ptr<const cost::CostModel> cost = nullptr;
    std::string command = {};  ///< for the model
    std::uint64_t seed = 1;
    ParameterValues parameters = {};  ///< resolved, of valueTrainingParameters()
    std::string path = {};            ///< of the model; learned::trainingPath() is that of the state
    bool resumes = false;             ///< goes on from the state instead of beginning anew
    std::uint32_t epochs = 0;         ///< in all, with those before; 0: no limit
    std::optional<double> seconds = {};
    unsigned jobs = 1;  ///< searches at a time, with the same result for any number
    std::stop_token stop = {};
    std::function<void(const learned::TrainingProgress&)> observer = {};  ///< gets each new point of the curve
};

/// Trains until a limit is reached, the token fires, or nothing has become better for as many epochs as `early_stop` says, and returns the best value
/// function. An epoch draws programs, searches them with the network, and fits the states that were visited. Validations, one at the start,
/// compare A* with the network with A* as it is without learning, both with the same evaluations, on the programs that are for validation: the
/// improvement of a point is the mean of 1 - cost / cost without learning, its reward minus the mean loss since the last point. After each validation the
/// state is saved, and the best model so far: so a training that is killed loses the epochs since then. The result is a function of all but jobs
/// and times, and the same with and without a pause behind a validation. Fails for problems or parameters that make no sense, if a file cannot be
/// written (the one before stays), if LibTorch is missing for the network of the paper, and if there is no state to go on from, or one of another
/// training: the error says what is different.
[[nodiscard]] Result<ValueModel> trainValue(const ValueTraining& training);

}  // namespace mitos::search
