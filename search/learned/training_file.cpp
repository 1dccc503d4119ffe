// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/training_file.h"

#include "core/base/json_field.h"
#include "search/learned/model_fields.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace mitos::search::learned {

using nlohmann::json;

void TrainingProgress::add(const CurvePoint& point) {
    const CurvePoint* const before = bestPoint();
    if (before == nullptr || point.improvement > before->improvement) best = current();
    curve.push_back(point);
}

ModelFile toFile(const TrainingProgress& progress, std::string kind, json fields) {
    fields["step"] = progress.step;
    fields["seconds"] = progress.seconds;
    fields["optimizer_steps"] = progress.optimizer.steps;
    fields["curve"] = curveJson(progress.curve);
    const bool hasAverage = !progress.optimizer.average.empty();
    fields["averages"] = hasAverage;
    ModelFile file{.kind = std::move(kind),
                   .description = fields.dump(),
                   .parts = {{"parameters", progress.parameters},
                             {"best", progress.best},
                             {"mean", progress.optimizer.mean},
                             {"square", progress.optimizer.square}}};
    if (hasAverage) file.parts.push_back({"average", progress.optimizer.average});
    return file;
}

Error damagedTraining(std::string_view name) {
    return {ErrorCode::Parse, fmt::format("{} is no state that training can go on from", name), std::nullopt,
            "start the training again without --resume"};
}

Result<StoredProgress> progressIn(const ModelFile& file, std::string_view kind, std::string_view name) {
    StoredProgress stored{.fields = json::parse(file.description, nullptr, false)};
    const json& fields = stored.fields;
    if (file.kind != kind || !fields.is_object() || !fields.contains("curve")) return damagedTraining(name);
    TrainingProgress& progress = stored.progress;
    progress.step = sizeIn(fields, "step");
    readField(fields, "seconds", progress.seconds);
    readField(fields, "optimizer_steps", progress.optimizer.steps);
    const auto get = [&](const char* part, std::vector<float>& into) {
        const std::vector<float>* const found = file.find(part);
        if (found == nullptr) return false;
        into = *found;
        return into.size() == progress.parameters.size();
    };
    const bool isComplete = readCurve(fields["curve"], progress.curve) && file.find("parameters") != nullptr;
    if (!isComplete) return damagedTraining(name);
    progress.parameters = *file.find("parameters");
    if (!get("best", progress.best) || !get("mean", progress.optimizer.mean) ||
        !get("square", progress.optimizer.square)) {
        return damagedTraining(name);
    }
    if (fieldOf<bool>(fields, "averages").value_or(false) && !get("average", progress.optimizer.average))
        return damagedTraining(name);
    return stored;
}

bool readNumbers(const json& fields, const char* member, std::vector<double>& into) {
    const auto found = fields.find(member);
    if (found == fields.end() || !found->is_array()) return false;
    for (const json& number : *found) {
        if (!number.is_number()) return false;
        into.push_back(number.get<double>());
    }
    return true;
}

std::string trainingPath(const std::string& modelPath) { return modelPath + ".training"; }

Result<ModelFile> loadTraining(const std::string& modelPath) {
    const std::string path = trainingPath(modelPath);
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown)) {
        return inputError(fmt::format("there is no training to go on with: {} does not exist", path),
                          "leave out --resume to begin one");
    }
    return loadModel(path);
}

Result<json> storedSubject(const std::string& modelPath) {
    MITOS_TRY(const ModelFile file, loadTraining(modelPath));
    const json fields = json::parse(file.description, nullptr, false);
    const auto found = fields.is_object() ? fields.find("subject") : fields.end();
    if (found == fields.end() || !found->is_object()) return damagedTraining(trainingPath(modelPath));
    return *found;
}

Status requireSameTraining(const std::string& path, const json& fields, const json& subject) {
    const json stored = fields.value("subject", json());
    for (const auto& [field, value] : subject.items()) {
        if (stored.is_object() && stored.contains(field) && stored[field] == value) continue;
        const std::string there =
            stored.is_object() && stored.contains(field) ? stored[field].dump() : std::string("not there");
        return otherTraining(path, fmt::format("{} is {} there and {} here", field, there, value.dump()));
    }
    return Success{};
}

Error otherTraining(const std::string& path, std::string_view what) {
    return {ErrorCode::Incompatible, fmt::format("{} belongs to another training: {}", path, what), std::nullopt,
            "repeat the settings that it began with, or leave out --resume to begin anew"};
}

}  // namespace mitos::search::learned
