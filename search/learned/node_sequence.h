// SPDX-License-Identifier: GPL-3.0-or-later
// A graph as a sequence of its nodes.
#pragma once

#include "search/learned/graph_network.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::search::learned {

/// The nodes in topological order: each behind those that edges lead from to it, and among nodes that may come next the one with the
/// smallest number. Several graphs follow each other. Nothing if edges form a cycle, lead to another graph or to nodes that do not exist.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> sequenceOf(const GraphView& graph);

}  // namespace mitos::search::learned
