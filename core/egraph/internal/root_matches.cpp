// SPDX-License-Identifier: GPL-3.0-or-later
// See root_matches.h.
#include "core/egraph/internal/root_matches.h"

#include <algorithm>
#include <utility>

namespace mitos::egraph {

using rules::RootMatch;

namespace {

std::size_t bytesOf(const std::vector<std::vector<RootMatch>>& matches) {
    std::size_t sum = 0;
    for (const std::vector<RootMatch>& root : matches) {
        sum += root.capacity() * sizeof(RootMatch);
        for (const RootMatch& match : root) {
            constexpr std::size_t Inline = 6;
            if (match.values.values.size() > Inline) sum += match.values.values.capacity() * sizeof(rules::Binding);
        }
    }
    return sum;
}

}  // namespace

std::vector<std::uint32_t> classesWith(EGraph& graph, const std::vector<ir::OpId>& ops) {
    const EGraph::Index& index = graph.index();
    if (ops.empty()) return index.classes;
    std::vector<std::uint32_t> classes;
    for (const ir::OpId op : ops) {
        if (op.value + 1 >= index.opBegin.size()) continue;
        for (std::uint32_t i = index.opBegin[op.value]; i < index.opBegin[op.value + 1]; ++i) {
            classes.push_back(graph.find(ENodeId(index.byOp[i])).value);
        }
    }
    std::ranges::sort(classes);
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    return classes;
}

bool RootMatches::update(EGraph& graph, const EGraphRule& rule, rules::MultiMatcher& matcher, Changes& changes,
                         absl::FunctionRef<bool()> mayGoOn) {
    const std::vector<std::uint32_t>& distances = changes.distances(graph, m_since);
    m_matches.resize(rule.parts().size());
    for (std::size_t root = 0; root < m_matches.size(); ++root) {
        // Changed classes are matched again from scratch; matches that were already known there keep their `isNew`.
        std::vector<RootMatch> kept;
        absl::flat_hash_map<std::uint32_t, std::vector<RootMatch>> before;
        for (RootMatch& match : m_matches[root]) {
            match.place = rules::PlaceId(graph.find(ENodeId(match.place.value)).value);
            std::vector<RootMatch>& list =
                distances[match.place.value] > rule.height() ? kept : before[match.place.value];
            list.push_back(std::move(match));
        }
        for (const std::uint32_t eclass : classesWith(graph, rule.parts()[root]->compiled().rootOperators)) {
            if (distances[eclass] > rule.height()) continue;
            if (!mayGoOn()) {
                *this = {};
                return false;
            }
            const std::size_t first = kept.size();
            m_isComplete = matcher.matchRoot(root, rules::PlaceId(eclass), kept) && m_isComplete;
            const auto known = before.find(eclass);
            if (known == before.end()) continue;
            for (std::size_t i = first; i < kept.size(); ++i) {
                const auto same = std::ranges::find_if(
                    known->second, [&](const RootMatch& old) { return old.values == kept[i].values; });
                if (same != known->second.end()) kept[i].isNew = same->isNew;
            }
        }
        std::ranges::stable_sort(kept,
                                 [](const RootMatch& a, const RootMatch& b) { return a.place.value < b.place.value; });
        m_matches[root] = std::move(kept);
    }
    m_since = graph.epoch();
    m_bytes = bytesOf(m_matches);
    return true;
}

void RootMatches::markOld() {
    for (std::vector<RootMatch>& root : m_matches) {
        for (RootMatch& match : root) match.isNew = false;
    }
}

}  // namespace mitos::egraph
