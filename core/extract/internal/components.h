// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/extract/problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::extract {

/// Edges of a directed graph, grouped by source vertex: those of i are targets[begin[i]] … targets[begin[i + 1] - 1].
struct Edges {
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> targets;

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(begin.size()) - 1; }
    [[nodiscard]] std::span<const std::uint32_t> from(std::uint32_t vertex) const {
        return {targets.data() + begin[vertex], begin[vertex + 1] - begin[vertex]};
    }
};

struct Components {
    std::vector<std::uint32_t> of;  ///< by vertex; a component has a smaller number than the components that lead to it
    std::uint32_t count = 0;
};

/// Strongly connected components (Tarjan's algorithm with an explicit stack).
[[nodiscard]] Components stronglyConnected(const Edges& edges);
/// The components of the classes, with edges from each class to the children of its nodes.
[[nodiscard]] Components componentsOfClasses(const Problem& problem);

}  // namespace mitos::extract
