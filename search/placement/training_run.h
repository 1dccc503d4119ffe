// SPDX-License-Identifier: GPL-3.0-or-later
// The training of a policy as a run: what runs, judges, records and shows a search does the same with a training.
#pragma once

#include "search/placement/policy_model.h"
#include "search/run.h"
#include "search/strategy.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::placement {

inline constexpr std::string_view PolicyTrainingName = "train-policy";
inline constexpr std::string_view ModelKind = "model";

/// A trained policy in a file. Its text is a JSON object: the file, a hash of its content, and the description of the model with its curve.
class ModelValue final : public OutcomeValue {
public:
    /// Reads the file. Fails if it is no policy.
    [[nodiscard]] static Result<ModelValue> of(const std::string& path);
    /// Reads text(). The parameters of the network stay empty. Fails for other texts.
    [[nodiscard]] static Result<ModelValue> from(std::string_view text);

    [[nodiscard]] const std::string& path() const { return m_path; }  ///< absolute
    [[nodiscard]] const PolicyModel& model() const { return m_model; }

    [[nodiscard]] std::string kind() const override { return std::string(ModelKind); }
    [[nodiscard]] std::string summary() const override;
    [[nodiscard]] std::string text() const override;
    /// Checks that the file exists, that its content is that of the value, and that it is a policy.
    [[nodiscard]] std::optional<std::string> fault(const ir::TermBank& bank, const ir::Program& program,
                                                   const std::stop_token& stop) const override;

private:
    ModelValue(std::string path, std::string digest, PolicyModel model);

    std::string m_path;
    std::string m_digest;
    PolicyModel m_model;
};

/// The improvement of the best point in words: "+2.31 % at step 50; 9 better, 1 worse"; empty without points.
[[nodiscard]] std::string improvementText(const std::vector<CurvePoint>& curve);

/// Task graphs to learn from, with their names.
struct TrainingGraphs {
    std::vector<schedule::TaskGraph> graphs = {};
    std::vector<std::string> names = {};
};
/// Reads the files and folders of a training for that many devices.
using GraphReader = std::function<Result<TrainingGraphs>(const std::vector<std::string>& paths, std::size_t devices,
                                                         const std::stop_token& stop)>;

/// Values of the parameter "graphs" that are no paths.
inline constexpr std::string_view GeneratedGraphs = "generated";
inline constexpr std::string_view ProgramGraph = "program";

/// Training of a policy as a strategy, which leaves the program as it is: the result is the start with a ModelValue, and all costs are those of the
/// start. Its learning curve are events (search::Validated). Without a limit it takes ten minutes; evaluations and states are not limited.
/// `read` may be null, if there are no paths; `jobs` 0 means one for each processor. Fails as trainPolicy() does.
[[nodiscard]] std::shared_ptr<const search::Strategy> policyTrainingRun(GraphReader read = {}, unsigned jobs = 0);
/// The parameters of a training, as settings of its own.
[[nodiscard]] std::vector<ParameterInfo> trainingRunParameters();
/// Paths as a value of the parameter "graphs", and back.
[[nodiscard]] std::string pathsText(const std::vector<std::string>& paths);

[[nodiscard]] inline bool isTraining(const RunFacts& run) { return run.strategy == PolicyTrainingName; }

}  // namespace mitos::search::placement
