// SPDX-License-Identifier: GPL-3.0-or-later
// Task graphs in any of the forms of their files.
#pragma once

#include "core/base/source_text.h"
#include "core/tasks/files/task_text.h"
#include "core/tasks/task_graph.h"

#include <string>
#include <string_view>
#include <vector>

namespace mitos::tasks {

/// The endings of the names of such files: .tasks (task_text.h), .stg (Standard Task Graphs), .pbtxt (CostGraphDef) and .json.
[[nodiscard]] std::vector<std::string> graphEndings();
/// Whether a text is a task graph in one of these forms, as far as its beginning tells: the word `tasks`; the number of tasks and the
/// line of task 0; an entry `node { … }`; a JSON object that begins with `operations`, `tensors` or `control`.
[[nodiscard]] bool isGraphText(std::string_view text);
/// Reads a task graph in the form that its text has, or else in the one that the ending of its name says. Its name is the one that the text has, or else
/// that of the file without folder and ending. Fails as the readers of the forms do, and for texts of which neither is known.
[[nodiscard]] Result<NamedGraph> readAnyGraph(const SourceText& source);

}  // namespace mitos::tasks
