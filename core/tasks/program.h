// SPDX-License-Identifier: GPL-3.0-or-later
// Task graphs as programs: terms whose nodes are shared. The operation is a node `Task`, whose children are the tensors that it uses, then
// the operations that it waits for; the root `Finish` has the operations that nothing uses or waits for. A node's payload has all that its
// children do not say, its number too, so that equal operations are different nodes.
#pragma once

#include "core/base/result.h"
#include "core/ir/operator_registry.h"
#include "core/ir/term_bank.h"
#include "core/tasks/task_graph.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::tasks {

inline constexpr std::string_view DialectName = "tasks";
inline constexpr std::string_view TaskName = "Task";
inline constexpr std::string_view FinishName = "Finish";

/// Adds Task and Finish. The type of a Task is that of its tensor, u8[bytes], or the tuple of them.
void addOperators(ir::OperatorRegistry& registry);

/// The program of a graph, with that name. A function of the bank with this name and without parameters is reused. Fails as checkGraph does, and
/// if a program of another dialect has the name.
[[nodiscard]] Result<ir::Program> programOf(ir::TermBank& bank, const TaskGraph& graph, std::string_view name);

/// The graph that a program is, and the nodes of its operations.
struct ProgramTasks {
    TaskGraph graph;
    std::vector<ir::TermId> terms;  ///< by operation
    /// By tensor: the node that is its value where it is used; invalid for one of several tensors of an operation that nothing uses.
    std::vector<ir::TermId> tensors;
};
/// The graph of which the program was made. Of other terms of the dialect, those that rewriting made, numbers and the order of consumers are
/// chosen to be close to those of the terms that are left. Fails for terms of other dialects.
[[nodiscard]] Result<ProgramTasks> tasksOf(const ir::TermBank& bank, ir::TermId root);
[[nodiscard]] Result<TaskGraph> graphOf(const ir::TermBank& bank, const ir::Program& program);

/// The name and the duration of a Task, from its payload. Nothing for other payloads.
struct TaskLabel {
    std::string name;  ///< "task 3" for the one without a name
    double duration = 0.0;
};
[[nodiscard]] std::optional<TaskLabel> labelOf(const ir::TermBank& bank, const ir::Payload& payload);

}  // namespace mitos::tasks
