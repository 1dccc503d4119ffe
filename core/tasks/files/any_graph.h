// SPDX-License-Identifier: GPL-3.0-or-later
// Files of task graphs, in any of their forms.
#pragma once

#include "core/base/source_text.h"
#include "core/tasks/task_graph.h"

#include <string_view>

namespace mitos::tasks {

/// Whether files of such names are task graphs: .stg, .pbtxt (CostGraphDef) and .json.
[[nodiscard]] bool isGraphName(std::string_view path);
/// Reads a task graph in the form that its name says. Fails as the readers of the forms do, and for other names.
[[nodiscard]] Result<TaskGraph> readAnyGraph(const SourceText& source);

}  // namespace mitos::tasks
