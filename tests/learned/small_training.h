// SPDX-License-Identifier: GPL-3.0-or-later
// A training of a policy that takes a second.
#pragma once

#include "core/schedule/generators.h"
#include "search/placement/policy_trainer.h"
#include "tests/schedule/schedule_samples.h"

#include <cstdint>
#include <string>

namespace mitos::tests {

/// Four steps with the keys of the paper on six graphs of twenty operations, two of which validate; with no file yet.
inline search::placement::PolicyTraining smallTraining() {
    search::placement::PolicyTraining training{.trainingCount = 4,
                                               .graphs = {"six small graphs"},
                                               .evaluations = 60,
                                               .parameters = {{"decode", std::string("paper")},
                                                              {"starts", false},
                                                              {"population", std::int64_t{20}},
                                                              {"elites", std::int64_t{4}},
                                                              {"mutants", std::int64_t{4}},
                                                              {"hidden", std::int64_t{8}},
                                                              {"graphs_per_step", std::int64_t{2}},
                                                              {"samples", std::int64_t{2}},
                                                              {"imitation_steps", std::int64_t{0}},
                                                              {"features", std::string("all")},
                                                              {"validate_every", std::int64_t{2}}},
                                               .steps = 4};
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        training.problems.push_back(
            mustMake(schedule::syntheticGraph({.operations = 20}, seed), schedule::equalDevices(2)));
    }
    training.parameters =
        *resolveParameters("train policy", search::placement::policyTrainingParameters(), training.parameters);
    return training;
}

}  // namespace mitos::tests
