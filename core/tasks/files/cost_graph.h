// SPDX-License-Identifier: GPL-3.0-or-later
// The graphs of the REGAL paper: TensorFlow's CostGraphDef as protobuf text.
#pragma once

#include "core/base/source_text.h"
#include "core/tasks/task_graph.h"

namespace mitos::tasks {

/// Reads `node { … }` entries. A node is an operation with the duration `compute_cost`; each `output_info` is a tensor with its `size`; `input_info`
/// names a `preceding_node` by its `id` (0 if missing) and the number of its output, `preceding_port` (0 if missing); `control_input` names
/// nodes to wait for; the outputs of a node with `is_final: true` are outputs of the graph. Other fields are skipped. An input from a node without outputs is a control edge. Fails with the
/// line of the mistake.
[[nodiscard]] Result<TaskGraph> readCostGraph(const SourceText& source);

}  // namespace mitos::tasks
