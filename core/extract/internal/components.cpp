// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/components.h"

#include <algorithm>
#include <utility>

namespace mitos::extract {

Components stronglyConnected(const Edges& edges) {
    const std::uint32_t count = edges.size();
    Components result{std::vector<std::uint32_t>(count, None), 0};
    std::vector<std::uint32_t> number(count, None);
    std::vector<std::uint32_t> lowest(count, 0);
    std::vector<std::uint32_t> open;
    std::vector<std::pair<std::uint32_t, std::size_t>> path;  // vertices being visited, with the next edge of each
    std::uint32_t next = 0;
    const auto enter = [&](std::uint32_t vertex) {
        number[vertex] = lowest[vertex] = next++;
        open.push_back(vertex);
        path.emplace_back(vertex, 0);
    };
    for (std::uint32_t start = 0; start < count; ++start) {
        if (number[start] != None) continue;
        enter(start);
        while (!path.empty()) {
            const std::uint32_t vertex = path.back().first;
            const auto targets = edges.from(vertex);
            if (path.back().second < targets.size()) {
                const std::uint32_t target = targets[path.back().second++];
                if (number[target] == None) {
                    enter(target);
                } else if (result.of[target] == None) {
                    lowest[vertex] = std::min(lowest[vertex], number[target]);
                }
                continue;
            }
            path.pop_back();
            if (!path.empty()) {
                std::uint32_t& above = lowest[path.back().first];
                above = std::min(above, lowest[vertex]);
            }
            if (lowest[vertex] != number[vertex]) continue;
            for (std::uint32_t member = None; member != vertex;) {
                member = open.back();
                open.pop_back();
                result.of[member] = result.count;
            }
            ++result.count;
        }
    }
    return result;
}

Components componentsOfClasses(const Problem& problem) {
    Edges edges{{0}, problem.children};
    for (std::uint32_t i = 0; i < problem.classCount(); ++i) {
        edges.begin.push_back(problem.childBegin[problem.classBegin[i + 1]]);
    }
    return stronglyConnected(edges);
}

}  // namespace mitos::extract
