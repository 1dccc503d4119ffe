// SPDX-License-Identifier: GPL-3.0-or-later
// Task graphs as text, a line for each operation:
//
//   tasks example
//     a() takes 2, makes 16
//     b(a) takes 3, makes 8
//     c(a) takes 1, makes 8, 4 result
//     %3 "a name"(b, c[0]) after a, b takes 2.5
//
// An operation has the number of its line; its inputs are in parentheses, by the names of the operations that make them, with the number of the
// tensor if these make several; `after` names those to wait for. `takes` has the duration, `makes` the bytes of each tensor; `result` marks a
// result of the graph. A name that is empty, given twice, a word of this form, or with characters other than letters, digits and _ . / : - is
// written in quotes behind %number, and uses are written %number. A # begins a comment.
//
// Tensors are numbered by operations, consumers and edges by the operations that they lead to. Where a graph numbers them otherwise, the text
// says so: `16 @5` is tensor 5, `16 to (c, b)` lists the consumers of a tensor in their order, and `after a @3` is edge 3.
#pragma once

#include "core/base/source_text.h"
#include "core/tasks/task_graph.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::tasks {

/// A graph with the name that its file gives it.
struct NamedGraph {
    std::string name = {};
    TaskGraph graph = {};
};

/// Whether a text begins, after comments, with the word `tasks`.
[[nodiscard]] bool isTaskText(std::string_view text);
/// Reads such a text. Fails with the place of a mistake, and as checkGraph does.
[[nodiscard]] Result<NamedGraph> readTaskText(const SourceText& source);

/// A graph as text, with the places of its operations.
struct PrintedGraph {
    /// The line of an operation, and its first use of each tensor, as byte offsets into the text.
    struct Run {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    std::string text;
    Run header;                   ///< `tasks example`
    std::vector<Run> operations;  ///< by operation: its line
    std::vector<Run> tensors;     ///< by tensor: what its producer's line says of it
};
/// The text that readTaskText reads as an equal graph.
[[nodiscard]] PrintedGraph printGraph(const TaskGraph& graph, std::string_view name);

/// The names of the operations in such a text: their own, or %number.
[[nodiscard]] std::vector<std::string> namesInText(const TaskGraph& graph);

}  // namespace mitos::tasks
