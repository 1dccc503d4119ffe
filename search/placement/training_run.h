// SPDX-License-Identifier: GPL-3.0-or-later
// The training of a policy as a run: what runs, judges, records and shows a search does the same with a training.
#pragma once

#include "search/learned/model_value.h"
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

/// Training of a policy as a strategy, which leaves the program as it is: the result is the start with a learned::ModelValue, and all costs are those of the
/// start. Its learning curve are events (search::Validated). Without a limit it takes ten minutes; evaluations and states are not limited.
/// `read` may be null, if there are no paths; `jobs` 0 means one for each processor. Fails as trainPolicy() does.
[[nodiscard]] std::shared_ptr<const search::Strategy> policyTrainingRun(GraphReader read = {}, unsigned jobs = 0);
/// The parameters of a training, as settings of its own.
[[nodiscard]] std::vector<ParameterInfo> trainingRunParameters();

}  // namespace mitos::search::placement
