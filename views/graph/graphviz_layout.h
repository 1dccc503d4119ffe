// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts computed by the Graphviz programs in child processes: better ones, used if they finish in time.
#pragma once

#include "core/base/result.h"
#include "views/graph/graph.h"

#include <optional>
#include <stop_token>
#include <string>

namespace mitos::views {

/// How much work Graphviz does.
enum class GraphvizEffort {
    Full,      ///< dot with its defaults
    Bounded,   ///< dot with few iterations
    Straight,  ///< the same, with straight edges
    Springs,   ///< sfdp, for large and dense graphs
};

/// The highest effort that is likely to finish within seconds (measured; resources/decisions.md); nothing if none is.
[[nodiscard]] std::optional<GraphvizEffort> graphvizEffort(std::size_t nodes, std::size_t edges);

/// Runs Graphviz for at most `seconds`, within 1 GB of memory. Fails if Graphviz is not installed, too slow (Limit),
/// stopped (Cancelled), or prints an unreadable answer.
[[nodiscard]] Result<GraphLayout> graphvizLayout(const GraphDescription& graph, GraphDirection direction,
                                                 GraphvizEffort effort, double seconds, std::stop_token stop);

/// Reads Graphviz's "plain" format for a graph written by graphvizLayout(). Exposed for tests.
[[nodiscard]] Result<GraphLayout> parsePlainLayout(const GraphDescription& graph, const std::string& text);

}  // namespace mitos::views
