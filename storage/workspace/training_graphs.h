// SPDX-License-Identifier: GPL-3.0-or-later
// The graphs of a training, from files, folders and sessions. Both programs read them so.
#pragma once

#include "search/placement/training_run.h"

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::storage {

/// Reads a task graph for each program of these files: models, task graphs and tensor listings; a folder means all such files in it, in order of
/// their names; a session means its programs that were scheduled. Durations are those of the dialect's default model. Fails for a file that
/// cannot be read or scheduled, and for a folder or session without any.
[[nodiscard]] Result<search::placement::TrainingGraphs> trainingGraphs(const std::vector<std::string>& paths,
                                                                       std::size_t devices,
                                                                       const std::stop_token& stop);

}  // namespace mitos::storage
