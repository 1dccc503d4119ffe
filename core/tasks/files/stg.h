// SPDX-License-Identifier: GPL-3.0-or-later
// Standard Task Graphs (Tobita and Kasahara, "A standard task graph set for fair evaluation of multiprocessor scheduling algorithms",
// 2002): files whose optimal makespans on equal processors are known.
#pragma once

#include "core/base/source_text.h"
#include "core/tasks/task_graph.h"

namespace mitos::tasks {

/// Reads a file with the ending .stg. Its first line is the number of tasks without the two empty ones at start and end; then each task has a line with
/// its number, its time, the number of its predecessors, and these. What follows # is a comment. Each task with successors gets one tensor of 0
/// bytes, since the files have no sizes. Fails with the line of the mistake.
[[nodiscard]] Result<TaskGraph> readStg(const SourceText& source);

}  // namespace mitos::tasks
