// SPDX-License-Identifier: GPL-3.0-or-later
// Uses a work-list of classes whose parents must be looked up again, as in any congruence closure.
#include "core/egraph/congruence.h"

#include "core/base/hash.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace mitos::egraph {

namespace {

class Closure {
public:
    explicit Closure(const Snapshot& snapshot) : m_snapshot(snapshot) {}

    CongruentSnapshot run() {
        nameOperators();
        m_class.resize(m_snapshot.classes.size());
        std::iota(m_class.begin(), m_class.end(), 0U);
        m_twin.resize(m_snapshot.nodes.size());
        std::iota(m_twin.begin(), m_twin.end(), 0U);
        m_parents.resize(m_snapshot.classes.size());
        for (std::uint32_t node = 0; node < m_snapshot.nodes.size(); ++node) {
            const Snapshot::Node& data = m_snapshot.nodes[node];
            for (std::uint32_t i = 0; i < data.childCount; ++i) {
                std::vector<std::uint32_t>& parents = m_parents[m_snapshot.childClass(data, i)];
                if (parents.empty() || parents.back() != node) parents.push_back(node);
            }
        }
        for (std::uint32_t node = 0; node < m_snapshot.nodes.size(); ++node) enter(node);
        while (!m_pending.empty()) {
            const std::vector<std::uint32_t> again = std::move(m_pending.back());
            m_pending.pop_back();
            for (const std::uint32_t node : again) {
                if (m_twin[node] == node) enter(node);
            }
        }
        return build();
    }

private:
    void nameOperators() {
        absl::flat_hash_map<std::string_view, std::uint32_t> numbers;
        for (const Snapshot::Node& node : m_snapshot.nodes) {
            m_operator.push_back(
                numbers.try_emplace(node.op, static_cast<std::uint32_t>(numbers.size())).first->second);
        }
    }
    std::uint32_t find(std::uint32_t eclass) {
        while (m_class[eclass] != eclass) eclass = m_class[eclass] = m_class[m_class[eclass]];
        return eclass;
    }
    [[nodiscard]] std::uint32_t findNode(std::uint32_t node) const {
        while (m_twin[node] != node) node = m_twin[node];
        return node;
    }
    std::vector<std::uint32_t> shape(std::uint32_t node) {
        const Snapshot::Node& data = m_snapshot.nodes[node];
        std::vector<std::uint32_t> key{m_operator[node]};
        for (std::uint32_t i = 0; i < data.childCount; ++i) key.push_back(find(m_snapshot.childClass(data, i)));
        return key;
    }
    /// Looks the node up under its current shape; if an equal node exists, the later one is dropped and their classes
    /// are merged.
    void enter(std::uint32_t node) {
        const auto [place, isNew] = m_nodes.try_emplace(shape(node), node);
        std::uint32_t first = findNode(place->second);
        if (first == node) return;
        std::uint32_t second = node;
        if (second < first) std::swap(first, second);
        place->second = first;
        m_twin[second] = first;
        m_report.nodes.push_back({first, second});
        std::uint32_t kept = find(m_snapshot.nodes[first].eclass);
        std::uint32_t merged = find(m_snapshot.nodes[second].eclass);
        if (kept == merged) return;
        if (merged < kept) std::swap(kept, merged);
        m_report.classes.push_back({kept, merged, first, second});
        m_class[merged] = kept;
        std::vector<std::uint32_t> parents = std::move(m_parents[merged]);
        m_parents[merged].clear();
        m_parents[kept].insert(m_parents[kept].end(), parents.begin(), parents.end());
        m_pending.push_back(std::move(parents));
    }

    CongruentSnapshot build() {
        Snapshot result;
        result.rules = m_snapshot.rules;
        result.otherKeys = m_snapshot.otherKeys;
        std::vector<std::uint32_t> classNumber(m_snapshot.classes.size(), Snapshot::None);
        std::vector<std::uint32_t> nodeNumber(m_snapshot.nodes.size(), Snapshot::None);
        for (std::uint32_t node = 0; node < m_snapshot.nodes.size(); ++node) {
            Snapshot::Node copy = m_snapshot.nodes[node];
            const std::uint32_t eclass = find(copy.eclass);
            if (classNumber[eclass] == Snapshot::None) {
                classNumber[eclass] = static_cast<std::uint32_t>(result.classes.size());
                result.classes.push_back(m_snapshot.classes[eclass]);
            }
            if (m_twin[node] != node) {
                // The first of the equal nodes precedes it.
                Snapshot::Node& kept = result.nodes[nodeNumber[findNode(node)]];
                kept.cost = std::min(kept.cost, copy.cost);
                kept.subsumed = kept.subsumed || copy.subsumed;
                continue;
            }
            nodeNumber[node] = static_cast<std::uint32_t>(result.nodes.size());
            copy.eclass = classNumber[eclass];
            result.nodes.push_back(std::move(copy));
        }
        for (Snapshot::Node& node : result.nodes) {
            const std::uint32_t old =
                std::exchange(node.firstChild, static_cast<std::uint32_t>(result.children.size()));
            for (std::uint32_t i = 0; i < node.childCount; ++i) {
                result.children.push_back(nodeNumber[findNode(m_snapshot.children[old + i])]);
            }
        }
        for (std::uint32_t eclass = 0; eclass < m_snapshot.classes.size(); ++eclass) {
            const Snapshot::Class& from = m_snapshot.classes[eclass];
            Snapshot::Class& to = result.classes[classNumber[find(eclass)]];
            if (to.type.empty()) to.type = from.type;
            to.iteration = std::max(to.iteration, from.iteration);
            for (const auto& entry : from.data) {
                const auto same = [&](const auto& known) { return known.first == entry.first; };
                if (std::ranges::none_of(to.data, same)) to.data.push_back(entry);
            }
        }
        for (const std::uint32_t root : m_snapshot.roots) result.roots.push_back(classNumber[find(root)]);
        return {std::move(result), std::move(m_report)};
    }

    struct ShapeHash {
        std::size_t operator()(const std::vector<std::uint32_t>& shape) const {
            std::uint64_t hash = shape.size();
            for (const std::uint32_t part : shape) hash = combineHash(hash, part);
            return hash;
        }
    };

    const Snapshot& m_snapshot;
    std::vector<std::uint32_t> m_operator;  ///< by node
    std::vector<std::uint32_t> m_class;     ///< union-find; the first class of a set is its root
    std::vector<std::uint32_t> m_twin;      ///< by node: the equal node that is kept, or itself
    std::vector<std::vector<std::uint32_t>> m_parents;
    absl::flat_hash_map<std::vector<std::uint32_t>, std::uint32_t, ShapeHash> m_nodes;
    std::vector<std::vector<std::uint32_t>> m_pending;
    CongruenceReport m_report;
};

}  // namespace

CongruentSnapshot closeUnderCongruence(const Snapshot& snapshot) { return Closure(snapshot).run(); }

}  // namespace mitos::egraph
