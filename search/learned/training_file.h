// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a training, whatever is trained: what it goes on from, as a file beside that of the model.
#pragma once

#include "search/learned/model_file.h"
#include "search/learned/optimizer.h"
#include "search/learning_curve.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::learned {

/// The part of a state that every training goes on from.
struct TrainingProgress {
    std::uint32_t step = 0;
    double seconds = 0.0;
    std::vector<float> parameters = {};
    Adam optimizer = Adam();
    std::vector<float> best = {};  ///< the parameters of the best point
    std::vector<CurvePoint> curve = {};

    /// The parameters to use: the average if the optimizer has one.
    [[nodiscard]] const std::vector<float>& current() const {
        return optimizer.average.empty() ? parameters : optimizer.average;
    }
    /// The point with the highest improvement, of equal ones the first; nothing before the first validation.
    [[nodiscard]] const CurvePoint* bestPoint() const { return bestIn(curve); }
    /// Adds a point, and keeps the current parameters if it is the best.
    void add(const CurvePoint& point);
    friend bool operator==(const TrainingProgress&, const TrainingProgress&) = default;
};

/// A state as a file. `fields` is a JSON object with what the kind of training has beside its progress: "subject" says which training it is.
[[nodiscard]] ModelFile toFile(const TrainingProgress& progress, std::string kind, nlohmann::json fields);
/// A state that was read, and the JSON object that toFile() got, which also has the progress.
struct StoredProgress {
    TrainingProgress progress = {};
    nlohmann::json fields = {};
};
/// Fails as damagedTraining() if the file is of another kind or its parts do not fit together.
[[nodiscard]] Result<StoredProgress> progressIn(const ModelFile& file, std::string_view kind, std::string_view name);
[[nodiscard]] Error damagedTraining(std::string_view name);
/// A member of the fields; false if it is no array of numbers.
[[nodiscard]] bool readNumbers(const nlohmann::json& fields, const char* member, std::vector<double>& into);

/// The file of the state for a model's path.
[[nodiscard]] std::string trainingPath(const std::string& modelPath);
/// Reads the state beside a model. Fails if there is none, and as loadModel() does.
[[nodiscard]] Result<ModelFile> loadTraining(const std::string& modelPath);
/// The settings of the training whose state stands beside a model, by name: what its `subject` was. Fails as loadTraining() does, and as
/// damagedTraining() for a file without settings.
[[nodiscard]] Result<nlohmann::json> storedSubject(const std::string& modelPath);
/// Fails if the state at `path` belongs to another training: the error says what is different.
[[nodiscard]] Status requireSameTraining(const std::string& path, const nlohmann::json& fields,
                                         const nlohmann::json& subject);
/// The error for a state with other settings than `what`.
[[nodiscard]] Error otherTraining(const std::string& path, std::string_view what);

}  // namespace mitos::search::learned
