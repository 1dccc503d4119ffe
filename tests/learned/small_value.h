// SPDX-License-Identifier: GPL-3.0-or-later
// A small trained value function for tests.
#pragma once

#include "search/rewriting/value_learning.h"
#include "tests/search/ks_job.h"

#include <algorithm>

namespace mitos::tests {

inline constexpr const char* SmallRules = "ks-simple";

/// A network of terms for the problem's program and rules, without parameters.
inline search::ValueModel untrainedValue(const search::SearchProblem& problem, std::vector<std::string> hints = {}) {
    search::ValueModel model{.shape = {.hidden = 8, .readout = 8, .layers = 1, .times = 10},
                             .vocabulary = kindsOf(problem),
                             .dialect = problem.bank.dialect(problem.program.function).name,
                             .rules = SmallRules,
                             .cost = problem.cost->info().name,
                             .hints = std::move(hints),
                             .programs = {"a program"}};
    model.shape.kinds = static_cast<std::uint32_t>(model.vocabulary.size());
    model.shape.hints = static_cast<std::uint32_t>(model.hints.size()) * model.shape.times;
    for (const auto& rule : problem.rules) model.ruleNames.push_back(rule->name());
    return model;
}

/// Trained on the problem's own searches.
inline search::ValueModel trainedValue(const search::SearchProblem& problem, int passes,
                                       std::vector<std::string> hints = {}) {
    search::ValueModel model = untrainedValue(problem, std::move(hints));
    const auto network = *search::learned::makeValueNetwork(model.shape);
    network->initialize(1);
    model.parameters.resize(network->parameterCount());
    network->getParameters(model.parameters);
    search::learned::Adam adam(network->parameterCount());
    const search::LearningSettings settings{
        .evaluations = 200, .labels = 4, .labelEvaluations = 100, .learningRate = 0.01};
    for (int pass = 0; pass < passes; ++pass) {
        const auto visited = visitedStates(problem, model, **networkOf(model), settings, {});
        if (!visited) qFatal("%s", visited.error().message.c_str());
        const auto loss = fit(model, *network, adam, {&*visited, 1}, settings, static_cast<std::uint64_t>(pass));
        if (!loss) qFatal("%s", loss.error().message.c_str());
        network->getParameters(model.parameters);
    }
    return model;
}

}  // namespace mitos::tests
