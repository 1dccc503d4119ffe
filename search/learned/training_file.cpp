// SPDX-License-Identifier: GPL-3.0-or-later
// States of training as files.
#include "core/base/json_field.h"
#include "search/learned/model_fields.h"
#include "search/learned/reinforce.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace mitos::search::learned {

namespace {

using nlohmann::json;

constexpr const char* TrainingKind = "training";

bool readNumbers(const json& numbers, std::vector<double>& into) {
    if (!numbers.is_array()) return false;
    for (const json& number : numbers) {
        if (!number.is_number()) return false;
        into.push_back(number.get<double>());
    }
    return true;
}

}  // namespace

ModelFile toFile(const TrainingState& state, const std::string& description) {
    json whole{{"subject", json::parse(description, nullptr, false)},
               {"settings",
                {{"seed", state.settings.seed},
                 {"graphs_per_step", state.settings.graphsPerStep},
                 {"samples_per_graph", state.settings.samplesPerGraph},
                 {"learning_rate", state.settings.learningRate},
                 {"longest_gradient", state.settings.longestGradient},
                 {"entropy", state.settings.entropy},
                 {"validate_every", state.settings.validateEvery},
                 {"validation_seeds", state.settings.validationSeeds},
                 {"imitation_steps", state.settings.imitationSteps},
                 {"imitation_rate", state.settings.imitationRate},
                 {"imitation_entropy", state.settings.imitationEntropy}}},
               {"step", state.step},
               {"seconds", state.seconds},
               {"optimizer_steps", state.optimizer.steps},
               {"curve", curveJson(state.curve)},
               {"references", state.references},
               {"validations", state.validations},
               {"sums", {state.rewardSum, state.entropySum}},
               {"sum_count", state.sumCount},
               {"trial_count", state.trialCount}};
    return {.kind = TrainingKind,
            .description = whole.dump(),
            .parts = {{"parameters", state.parameters},
                      {"best", state.best},
                      {"mean", state.optimizer.mean},
                      {"square", state.optimizer.square}}};
}

Result<TrainingState> stateIn(const ModelFile& file, std::string_view name) {
    const Error damaged{ErrorCode::Parse, fmt::format("{} is no state that training can go on from", name),
                        std::nullopt, "start the training again without --resume"};
    const json whole = json::parse(file.description, nullptr, false);
    if (file.kind != TrainingKind || !whole.is_object() || !whole.contains("settings") ||
        !whole["settings"].is_object())
        return damaged;
    const json& settings = whole["settings"];
    TrainingState state;
    readField(settings, "seed", state.settings.seed);
    state.settings.graphsPerStep = sizeIn(settings, "graphs_per_step");
    state.settings.samplesPerGraph = sizeIn(settings, "samples_per_graph");
    readField(settings, "learning_rate", state.settings.learningRate);
    readField(settings, "longest_gradient", state.settings.longestGradient);
    readField(settings, "entropy", state.settings.entropy);
    state.settings.validateEvery = sizeIn(settings, "validate_every");
    state.settings.validationSeeds = sizeIn(settings, "validation_seeds");
    state.settings.imitationSteps = sizeIn(settings, "imitation_steps");
    readField(settings, "imitation_rate", state.settings.imitationRate);
    readField(settings, "imitation_entropy", state.settings.imitationEntropy);
    state.step = sizeIn(whole, "step");
    readField(whole, "seconds", state.seconds);
    readField(whole, "optimizer_steps", state.optimizer.steps);
    state.sumCount = sizeIn(whole, "sum_count");
    state.trialCount = sizeIn(whole, "trial_count");
    std::vector<double> sums;
    const auto get = [&](const char* part, std::vector<float>& into) {
        const std::vector<float>* const found = file.find(part);
        if (found == nullptr) return false;
        into = *found;
        return true;
    };
    const json none;
    const auto member = [&](const char* field) -> const json& { return whole.contains(field) ? whole[field] : none; };
    const bool isComplete =
        readCurve(member("curve"), state.curve) && readNumbers(member("references"), state.references) &&
        readNumbers(member("validations"), state.validations) && readNumbers(member("sums"), sums) &&
        get("parameters", state.parameters) && get("best", state.best) && get("mean", state.optimizer.mean) &&
        get("square", state.optimizer.square);
    const std::size_t count = state.parameters.size();
    if (!isComplete || sums.size() != 2 || state.best.size() != count || state.optimizer.mean.size() != count ||
        state.optimizer.square.size() != count || state.settings.samplesPerGraph < 2 ||
        state.settings.graphsPerStep == 0 || state.settings.validateEvery == 0 || state.settings.validationSeeds == 0) {
        return damaged;
    }
    state.rewardSum = sums[0];
    state.entropySum = sums[1];
    return state;
}

}  // namespace mitos::search::learned
