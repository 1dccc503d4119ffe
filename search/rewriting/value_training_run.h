// SPDX-License-Identifier: GPL-3.0-or-later
// The training of a value function as a run.
#pragma once

#include "search/rewriting/value_training.h"
#include "search/strategy.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search {

inline constexpr std::string_view ValueTrainingName = "train-value";

/// Programs to learn from, with their names, and threads that led from such programs to cheaper ones.
struct TrainingPrograms {
    std::vector<TrainingProgram> programs = {};
    std::vector<std::string> names = {};
    std::vector<StoredThread> threads = {};
    std::size_t leftOut = 0;  ///< threads that do not replay with the rules
};
/// Reads the files, folders and sessions of a training.
using ProgramReader =
    std::function<Result<TrainingPrograms>(const std::vector<std::string>& paths, const std::stop_token& stop)>;

/// A line of the parameter "programs" that is no path.
inline constexpr std::string_view OpenProgramSubject = "program";

/// Training of a value function as a strategy, with the problem's rules and cost model, which leaves the program as it is: the result is the start with a
/// learned::ModelValue (learned::runTraining()). Without a limit it takes ten minutes. Without paths that validate, each fourth program does,
/// and a single program validates itself. `read` may be null, if there are no paths; `ruleSets` are the rules in words; `jobs` 0 means one
/// for each processor. Fails as trainValue() does.
[[nodiscard]] std::shared_ptr<const Strategy> valueTrainingRun(ProgramReader read = {}, std::string ruleSets = {},
                                                               unsigned jobs = 0);
/// The parameters of such a run, as settings of its own.
[[nodiscard]] std::vector<ParameterInfo> valueTrainingRunParameters();

}  // namespace mitos::search
