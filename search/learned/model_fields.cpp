// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/model_fields.h"

#include "core/base/json_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::search::learned {

using nlohmann::json;

Error unusableModel(std::string_view name, std::string_view why, std::string_view kind) {
    return {ErrorCode::Incompatible, fmt::format("{} cannot be used: {}", name, why), std::nullopt,
            fmt::format("train a model with `mitos-cli train {}`", kind)};
}

void addTo(json& description, const TrainingFields& fields) {
    description["seed"] = fields.seed;
    description["evaluations"] = fields.evaluations;
    description["command"] = fields.command;
    description["curve"] = curveJson(fields.curve);
}

Result<TrainingFields> trainingFieldsIn(const json& description) {
    TrainingFields fields;
    readField(description, "seed", fields.seed);
    readField(description, "evaluations", fields.evaluations);
    readField(description, "command", fields.command);
    if (description.contains("curve") && !readCurve(description["curve"], fields.curve))
        return Error{ErrorCode::Parse, "the training curve cannot be read", std::nullopt, ""};
    return fields;
}

Result<std::vector<float>> parametersIn(const ModelFile& file, std::string_view name, std::string_view kind,
                                        std::string_view what) {
    if (file.kind != kind) {
        return unusableModel(name, fmt::format("it is no {}, but a model of the kind \"{}\"", what, file.kind), kind);
    }
    const std::vector<float>* const parameters = file.find("parameters");
    if (parameters == nullptr) return unusableModel(name, "it has no parameters", kind);
    return *parameters;
}

json curveJson(std::span<const CurvePoint> curve) {
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

bool readCurve(const json& points, std::vector<CurvePoint>& into) {
    if (!points.is_array()) return false;
    for (const json& point : points) {
        if (!point.is_object()) return false;
        CurvePoint& one = into.emplace_back();
        one.step = sizeIn(point, "step");
        readField(point, "seconds", one.seconds);
        readField(point, "improvement", one.improvement);
        one.better = sizeIn(point, "better");
        one.worse = sizeIn(point, "worse");
        readField(point, "reward", one.reward);
        readField(point, "entropy", one.entropy);
    }
    return true;
}

std::uint32_t sizeIn(const json& object, const char* field) {
    constexpr std::uint64_t Most = 1U << 30U;
    return static_cast<std::uint32_t>(std::min(Most, fieldOf<std::uint64_t>(object, field).value_or(0)));
}

std::vector<std::string> textsIn(const json& object, const char* field) {
    std::vector<std::string> texts;
    const auto found = object.find(field);
    if (found == object.end() || !found->is_array()) return texts;
    for (const json& text : *found) {
        if (text.is_string()) texts.push_back(text.get<std::string>());
    }
    return texts;
}

}  // namespace mitos::search::learned
