// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a model's file and of its description that does not depend on what it is for.
#pragma once

#include "search/learned/model_file.h"
#include "search/learning_curve.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::learned {

/// The ending of files with models.
inline constexpr std::string_view ModelEnding = ".model";

/// The error of a model that cannot be used as one of the kind.
[[nodiscard]] Error unusableModel(std::string_view name, std::string_view why, std::string_view kind);

/// How a model was trained: fields that all descriptions have.
struct TrainingFields {
    std::uint64_t seed = 1;
    std::uint64_t evaluations = 0;  ///< of each search
    std::string command = {};
    std::vector<CurvePoint> curve = {};
};
void addTo(nlohmann::json& description, const TrainingFields& fields);
/// Fields that are missing keep their defaults. Fails if the curve cannot be read.
[[nodiscard]] Result<TrainingFields> trainingFieldsIn(const nlohmann::json& description);

/// The parameters in a file of a kind, `what` in words. Fails for a model of another kind, which the error names, and if there are none.
[[nodiscard]] Result<std::vector<float>> parametersIn(const ModelFile& file, std::string_view name,
                                                      std::string_view kind, std::string_view what);

/// A curve as a JSON array, and back; false for other values.
[[nodiscard]] nlohmann::json curveJson(std::span<const CurvePoint> curve);
[[nodiscard]] bool readCurve(const nlohmann::json& points, std::vector<CurvePoint>& into);

/// A size of at most 2^30; 0 if the field is missing or of another kind.
[[nodiscard]] std::uint32_t sizeIn(const nlohmann::json& object, const char* field);
/// The texts in an array; others are left out.
[[nodiscard]] std::vector<std::string> textsIn(const nlohmann::json& object, const char* field);

}  // namespace mitos::search::learned
