// SPDX-License-Identifier: GPL-3.0-or-later
// Task graphs as JSON.
#pragma once

#include "core/base/source_text.h"
#include "core/tasks/task_graph.h"

#include <string>

namespace mitos::tasks {

/// Reads
///
///     {"operations": [{"name": "a", "duration": 2}, …],
///      "tensors": [{"producer": 0, "bytes": 16, "consumers": [1, 2], "output": false}, …],
///      "control": [[0, 3], …]}
///
/// Operations are named by their numbers. Only `operations` and the members `duration` and `producer` are required. Fails with the line of a mistake
/// in JSON, and with the name of the part, like tensors[3].bytes, where a value is wrong; unknown members are mistakes.
[[nodiscard]] Result<TaskGraph> readTaskGraph(const SourceText& source);

/// The text of a graph, which readTaskGraph reads again.
[[nodiscard]] std::string toJson(const TaskGraph& graph);

}  // namespace mitos::tasks
