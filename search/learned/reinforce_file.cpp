// SPDX-License-Identifier: GPL-3.0-or-later
// States of the training of a policy as files.
#include "core/base/json_field.h"
#include "search/learned/model_fields.h"
#include "search/learned/reinforce.h"

#include <string>
#include <utility>

namespace mitos::search::learned {

namespace {

constexpr const char* PolicyTrainingKind = "training";

}  // namespace

ModelFile toFile(const TrainingState& state, const std::string& description) {
    using nlohmann::json;
    json fields{{"subject", json::parse(description, nullptr, false)},
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
                {"references", state.references},
                {"validations", state.validations},
                {"sums", {state.rewardSum, state.entropySum}},
                {"sum_count", state.sumCount},
                {"trial_count", state.trialCount}};
    return toFile(static_cast<const TrainingProgress&>(state), PolicyTrainingKind, std::move(fields));
}

Result<TrainingState> stateIn(const ModelFile& file, std::string_view name) {
    MITOS_TRY(StoredProgress stored, progressIn(file, PolicyTrainingKind, name));
    const nlohmann::json& whole = stored.fields;
    if (!whole.contains("settings") || !whole["settings"].is_object()) return damagedTraining(name);
    const nlohmann::json& settings = whole["settings"];
    TrainingState state;
    static_cast<TrainingProgress&>(state) = std::move(stored.progress);
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
    state.sumCount = sizeIn(whole, "sum_count");
    state.trialCount = sizeIn(whole, "trial_count");
    std::vector<double> sums;
    const bool isComplete = readNumbers(whole, "references", state.references) &&
                            readNumbers(whole, "validations", state.validations) && readNumbers(whole, "sums", sums);
    if (!isComplete || sums.size() != 2 || state.settings.samplesPerGraph < 2 || state.settings.graphsPerStep == 0 ||
        state.settings.validateEvery == 0 || state.settings.validationSeeds == 0) {
        return damagedTraining(name);
    }
    state.rewardSum = sums[0];
    state.entropySum = sums[1];
    return state;
}

}  // namespace mitos::search::learned
