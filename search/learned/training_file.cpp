// SPDX-License-Identifier: GPL-3.0-or-later
// States of training as files, and curves as JSON.
#include "core/base/json_field.h"
#include "search/learned/reinforce.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace mitos::search::learned {

namespace {

using nlohmann::json;

constexpr const char* TrainingKind = "training";

json jsonOf(std::span<const CurvePoint> curve) {
    json points = json::array();
    for (const CurvePoint& point : curve) {
        points.push_back({{"step", point.step},
                          {"seconds", point.seconds},
                          {"improvement", point.improvement},
                          {"better", point.better},
                          {"worse", point.worse},
                          {"reward", point.reward},
                          {"entropy", point.entropy}});
    }
    return points;
}

std::uint32_t smallOf(const json& object, const char* field) {
    return static_cast<std::uint32_t>(fieldOf<std::uint64_t>(object, field).value_or(0));
}

bool readPoints(const json& points, std::vector<CurvePoint>& into) {
    if (!points.is_array()) return false;
    for (const json& point : points) {
        if (!point.is_object()) return false;
        CurvePoint& one = into.emplace_back();
        one.step = smallOf(point, "step");
        readField(point, "seconds", one.seconds);
        readField(point, "improvement", one.improvement);
        one.better = smallOf(point, "better");
        one.worse = smallOf(point, "worse");
        readField(point, "reward", one.reward);
        readField(point, "entropy", one.entropy);
    }
    return true;
}

bool readNumbers(const json& numbers, std::vector<double>& into) {
    if (!numbers.is_array()) return false;
    for (const json& number : numbers) {
        if (!number.is_number()) return false;
        into.push_back(number.get<double>());
    }
    return true;
}

}  // namespace

std::string curveJson(std::span<const CurvePoint> curve) { return jsonOf(curve).dump(); }

Result<std::vector<CurvePoint>> readCurve(std::string_view text) {
    std::vector<CurvePoint> curve;
    if (!readPoints(json::parse(text, nullptr, false), curve))
        return Error{ErrorCode::Parse, "the training curve cannot be read", std::nullopt, ""};
    return curve;
}

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
               {"curve", jsonOf(state.curve)},
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
    state.settings.graphsPerStep = smallOf(settings, "graphs_per_step");
    state.settings.samplesPerGraph = smallOf(settings, "samples_per_graph");
    readField(settings, "learning_rate", state.settings.learningRate);
    readField(settings, "longest_gradient", state.settings.longestGradient);
    readField(settings, "entropy", state.settings.entropy);
    state.settings.validateEvery = smallOf(settings, "validate_every");
    state.settings.validationSeeds = smallOf(settings, "validation_seeds");
    state.settings.imitationSteps = smallOf(settings, "imitation_steps");
    readField(settings, "imitation_rate", state.settings.imitationRate);
    readField(settings, "imitation_entropy", state.settings.imitationEntropy);
    state.step = smallOf(whole, "step");
    readField(whole, "seconds", state.seconds);
    readField(whole, "optimizer_steps", state.optimizer.steps);
    state.sumCount = smallOf(whole, "sum_count");
    state.trialCount = smallOf(whole, "trial_count");
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
        readPoints(member("curve"), state.curve) && readNumbers(member("references"), state.references) &&
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
