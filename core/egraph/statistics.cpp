// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/egraph/statistics.h"

#include <algorithm>
#include <vector>

namespace mitos::egraph {

namespace {

/// Removes classes whose nodes need no remaining class, as long as there are any; none is left if there is no cycle.
bool isAcyclic(const Snapshot& snapshot) {
    std::vector<std::size_t> needs(snapshot.classes.size(), 0);
    std::vector<std::vector<std::uint32_t>> users(snapshot.classes.size());
    for (const Snapshot::Node& node : snapshot.nodes) {
        needs[node.eclass] += node.childCount;
        for (std::uint32_t i = 0; i < node.childCount; ++i) users[snapshot.childClass(node, i)].push_back(node.eclass);
    }
    std::vector<std::uint32_t> removed;
    for (std::uint32_t eclass = 0; eclass < needs.size(); ++eclass) {
        if (needs[eclass] == 0) removed.push_back(eclass);
    }
    for (std::size_t at = 0; at < removed.size(); ++at) {
        for (const std::uint32_t user : users[removed[at]]) {
            if (--needs[user] == 0) removed.push_back(user);
        }
    }
    return removed.size() == needs.size();
}

}  // namespace

Statistics statisticsOf(const Snapshot& snapshot) {
    Statistics found;
    found.edges = snapshot.children.size();
    std::vector<std::size_t> sizes(snapshot.classes.size(), 0);
    for (const Snapshot::Node& node : snapshot.nodes) {
        ++sizes[node.eclass];
        ++found.operators[node.op];
        if (node.subsumed) ++found.subsumed;
    }
    if (!sizes.empty()) {
        const auto largest = std::ranges::max_element(sizes);
        found.largestClass = static_cast<std::uint32_t>(largest - sizes.begin());
        found.largestSize = *largest;
    }
    if (!snapshot.nodes.empty()) {
        const auto [least, greatest] = std::ranges::minmax(snapshot.nodes, {}, &Snapshot::Node::cost);
        found.leastCost = least.cost;
        found.greatestCost = greatest.cost;
    }
    found.isAcyclic = isAcyclic(snapshot);
    return found;
}

}  // namespace mitos::egraph
