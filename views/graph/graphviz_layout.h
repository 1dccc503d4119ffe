// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts by the Graphviz programs, as child processes: better ones, when they come in time.
#pragma once

#include "core/base/result.h"
#include "views/graph/graph.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::views {

/// How much is asked of Graphviz.
enum class GraphvizEffort {
    Full,      ///< dot as it comes
    Bounded,   ///< dot with few iterations
    Straight,  ///< the same, with straight edges
    Springs,   ///< sfdp, for large and dense graphs
};

/// The most that is likely to be done within seconds (measured; Decisions in views/README.md); nothing: it is hopeless.
[[nodiscard]] std::optional<GraphvizEffort> graphvizEffort(std::size_t nodes, std::size_t edges);

/// Runs Graphviz for at most that many seconds, within 1 GB of memory. Errors: not installed, too slow (Limit), stopped
/// (Cancelled), an answer that cannot be read.
[[nodiscard]] Result<GraphLayout> graphvizLayout(const GraphDescription& graph, GraphDirection direction,
                                                 GraphvizEffort effort, double seconds, std::stop_token stop);

/// Reads Graphviz's "plain" format for a graph written by graphvizLayout(). Exposed for tests.
[[nodiscard]] Result<GraphLayout> parsePlainLayout(const GraphDescription& graph, const std::string& text);

}  // namespace mitos::views
