// SPDX-License-Identifier: GPL-3.0-or-later
// Trainings as runs: what runs, judges, records and shows a search does the same with a training, whose outcome is a model.
#pragma once

#include "search/learned/training_file.h"
#include "search/strategy.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::learned {

/// OutcomeValue::kind() of models of every kind.
inline constexpr std::string_view ModelKind = "model";

/// A trained model in a file. Its text is a JSON object: the file, a hash of its content, the kind of the model, and its description with its curve.
class ModelValue final : public OutcomeValue {
public:
    /// Reads the file. Fails if it is no model of that kind.
    [[nodiscard]] static Result<ModelValue> of(const std::string& path, std::string_view modelKind);
    /// Reads text(). Fails for other texts.
    [[nodiscard]] static Result<ModelValue> from(std::string_view text);

    [[nodiscard]] const std::string& path() const { return m_path; }            ///< absolute
    [[nodiscard]] const std::string& modelKind() const { return m_modelKind; }  ///< of the file: "policy", "value"
    [[nodiscard]] const std::vector<CurvePoint>& curve() const { return m_curve; }
    /// From the file that was read; 0 if the value is from a text.
    [[nodiscard]] std::size_t parameterCount() const { return m_parameterCount; }

    [[nodiscard]] std::string kind() const override { return std::string(ModelKind); }
    [[nodiscard]] std::string summary() const override;
    [[nodiscard]] std::string text() const override;
    /// Checks that the file exists, that its content is that of the value, and that it is a model of the kind.
    [[nodiscard]] std::optional<std::string> fault(const ir::TermBank& bank, const ir::Program& program,
                                                   const std::stop_token& stop) const override;

private:
    ModelValue() = default;
    [[nodiscard]] bool readDescription(const nlohmann::json& description);

    std::string m_path;
    std::string m_digest;
    std::string m_modelKind;
    nlohmann::json m_description;
    std::string m_about;
    std::vector<CurvePoint> m_curve;
    std::size_t m_parameterCount = 0;
};

/// The improvement of the best point in words: "+2.31 % at step 50; 9 better, 1 worse"; empty without points.
[[nodiscard]] std::string improvementText(const std::vector<CurvePoint>& curve);

/// Paths as a value of a parameter, and back.
[[nodiscard]] std::string pathsText(const std::vector<std::string>& paths);
[[nodiscard]] std::vector<std::string> pathsIn(std::string_view text);

/// Which of so many subjects validate: each fourth one, or the last of fewer.
[[nodiscard]] bool validates(std::size_t number, std::size_t count);
/// One subject in so many is for validation.
inline constexpr std::size_t ValidationShare = 4;
/// The time of a training without any limit.
inline constexpr double UsualTrainingSeconds = 600.0;

/// A training as what a strategy runs.
struct ModelTraining {
    std::string modelKind = {};
    std::string model = {};   ///< the file to write, as it was asked for
    std::uint32_t steps = 0;  ///< the limit; 0: none
    /// Trains into the file at `path`, an absolute one, and calls `report` after each point, when the model is in the file; `validating` is how many subjects
    /// validate.
    using Report = std::function<void(const TrainingProgress& progress, std::uint32_t validating)>;
    std::function<Status(const std::string& path, const Report& report)> train = {};
};
/// Runs it. The result is the problem's program with a ModelValue, and all costs are those of the start; each point is an event
/// (search::Validated). Fails as the training does, and for a file that does not end in ModelEnding.
[[nodiscard]] Result<SearchResult> runTraining(const ModelTraining& training, const SearchProblem& problem,
                                               const std::stop_token& stop, Observer& observer);

}  // namespace mitos::search::learned
