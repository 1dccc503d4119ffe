// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/egraph/snapshot.h"

#include <algorithm>

namespace mitos::egraph {

std::vector<std::uint32_t> startClasses(const Snapshot& snapshot) {
    if (!snapshot.roots.empty() || snapshot.classes.empty()) return snapshot.roots;
    std::vector<bool> isUsed(snapshot.classes.size(), false);
    for (const std::uint32_t child : snapshot.children) isUsed[snapshot.nodes[child].eclass] = true;
    std::vector<std::uint32_t> starts;
    for (std::uint32_t eclass = 0; eclass < isUsed.size(); ++eclass) {
        if (!isUsed[eclass]) starts.push_back(eclass);
    }
    if (!starts.empty()) return starts;
    std::vector<std::size_t> sizes(snapshot.classes.size(), 0);
    for (const Snapshot::Node& node : snapshot.nodes) ++sizes[node.eclass];
    return {static_cast<std::uint32_t>(std::ranges::max_element(sizes) - sizes.begin())};
}

}  // namespace mitos::egraph
