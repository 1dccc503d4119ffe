// SPDX-License-Identifier: GPL-3.0-or-later
// A trained policy as a file, and its use.
#pragma once

#include "search/learned/learned_library.h"
#include "search/learned/reinforce.h"
#include "search/placement/policy.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::placement {

/// The use of a policy, and how it was trained.
struct PolicyModel {
    Objective objective = Objective::Runtime;
    Decode decode = Decode::EarliestFinish;
    std::uint32_t devices = 2;
    std::string machine = {};  ///< in words: "2 equal devices, instant transfers"
    PolicyView features = PolicyView::All;
    std::vector<random_keys::Beta> betas = policyBetas();
    learned::NetworkShape shape = {};
    std::uint64_t seed = 1;
    std::uint64_t evaluations = 1'000;  ///< of the searches that it was trained with
    /// Of the same; 0: as many as the evaluations allow, as for REGAL. With 1 they are random searches, and the policy is that of IDRS (REGAL
    /// paper, section 5.2).
    std::uint32_t generations = 0;
    /// Of each graph that it was trained on, itself included, and the amount of noise on the others (schedule::withNoise).
    std::uint32_t variants = 1;
    double noise = 0.0;
    std::vector<std::string> graphs = {};  ///< in words: files, or how many were generated
    std::string command = {};              ///< that trained it
    std::vector<learned::CurvePoint> curve = {};
    std::vector<float> parameters = {};

    [[nodiscard]] learned::ChoiceSpace choices() const { return policyChoices(decode, devices, betas.size()); }
};

/// The shape of the network for the model's decisions and features.
[[nodiscard]] learned::NetworkShape policyShape(const PolicyModel& model, std::uint32_t hidden, std::uint32_t rounds,
                                                learned::NetworkKind kind = learned::NetworkKind::Graph);

/// The description of a model: all but the parameters, as a JSON object.
[[nodiscard]] std::string descriptionOf(const PolicyModel& model);
/// Reads it; the parameters stay empty. Fails for a description that is not one of a policy, or that names features or choices this program
/// does not have.
[[nodiscard]] Result<PolicyModel> policyIn(std::string_view description, std::string_view name);

[[nodiscard]] learned::ModelFile toFile(const PolicyModel& model);
/// Reads the bytes of a file. Fails as learned::readModel() and policyIn() do, for models of another kind, and if there are no parameters.
[[nodiscard]] Result<PolicyModel> readPolicy(std::string_view name, std::string_view bytes);
/// Fails as learned::loadModel() and policyIn() do, for models of another kind, and for parameters that do not fit the shape.
[[nodiscard]] Result<PolicyModel> loadPolicy(const std::string& path);

/// Fails if the model was trained for another objective, meaning of keys or number of devices, and says which.
[[nodiscard]] Status checkFit(const PolicyModel& model, std::string_view name, const schedule::Problem& problem,
                              Objective objective, Decode decode);

/// The distributions that the model chooses for a problem that it fits: its most probable choices. Fails if LibTorch is missing or fails, and if the
/// parameters do not fit the network.
[[nodiscard]] Result<random_keys::MutantDistributions> distributionsBy(const PolicyModel& model,
                                                                       const schedule::Problem& problem,
                                                                       const learned::LearnedLibrary& library);

}  // namespace mitos::search::placement
