// SPDX-License-Identifier: GPL-3.0-or-later
// See cycles.h.
#include "core/egraph/cycles.h"

#include "core/base/suggestion.h"

#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace mitos::egraph {

namespace {

constexpr std::uint32_t NoClass = 0xFFFFFFFFU;

/// Whether a program may contain the node.
bool isUsable(const EGraph& graph, ENodeId node) {
    return graph.isLive(node) && !graph.isFiltered(node) && graph.isInScope(node);
}

/// Whether no variable's class contains a root's.
template <typename Reaches>
bool isApart(std::span<const ENodeId> variables, std::span<const ENodeId> roots, const Reaches& reaches) {
    return std::ranges::none_of(variables, [&](ENodeId variable) {
        return std::ranges::any_of(roots, [&](ENodeId root) { return reaches(variable, root); });
    });
}

/// Searches the current graph, which need not be clean.
class Vanilla final : public UnionGuard {
public:
    explicit Vanilla(const EGraph& graph) : m_graph(graph) {}

    bool mayUnite(ENodeId left, ENodeId right) override { return !reaches(right, left); }
    bool mayApply(std::span<const ENodeId> variables, std::span<const ENodeId> roots) override {
        return isApart(variables, roots, [this](ENodeId from, ENodeId to) { return reaches(from, to); });
    }
    void begin() override {}

private:
    /// Whether some term of the class of `from` contains a term of the class of `to`.
    bool reaches(ENodeId from, ENodeId to) {
        const ENodeId goal = m_graph.find(to);
        absl::flat_hash_set<ENodeId> seen;
        std::vector<ENodeId> open{m_graph.find(from)};
        while (!open.empty()) {
            const ENodeId at = open.back();
            open.pop_back();
            if (!seen.insert(at).second) continue;
            bool isFound = false;
            m_graph.forEachMember(at, [&](ENodeId node) {
                if (isFound || !isUsable(m_graph, node)) return;
                for (const std::uint32_t child : m_graph.children(node)) {
                    const ENodeId below = m_graph.find(ENodeId(child));
                    isFound = isFound || below == goal;
                    if (!seen.contains(below)) open.push_back(below);
                }
            });
            if (isFound) return true;
        }
        return false;
    }

    const EGraph& m_graph;
};

/// Stores the acyclic classes at the start of a batch. Everything that a class can reach has a smaller height, so
/// comparing two heights answers most queries; the others are searched, and the classes that a class reaches are cached
/// until the next batch.
class Efficient final : public UnionGuard {
public:
    explicit Efficient(const EGraph& graph) : m_graph(graph) {}

    void begin() override {
        m_numberOf.assign(m_graph.idCount(), NoClass);
        std::vector<std::uint32_t> leaders;
        for (std::uint32_t id = 0; id < m_graph.idCount(); ++id) {
            if (m_graph.find(ENodeId(id)).value != id) continue;
            m_numberOf[id] = static_cast<std::uint32_t>(leaders.size());
            leaders.push_back(id);
        }
        m_begin.assign(1, 0);
        m_children.clear();
        for (const std::uint32_t leader : leaders) {
            const std::size_t first = m_children.size();
            m_graph.forEachMember(ENodeId(leader), [&](ENodeId node) {
                if (!isUsable(m_graph, node)) return;
                for (const std::uint32_t child : m_graph.children(node)) {
                    m_children.push_back(m_numberOf[m_graph.find(ENodeId(child)).value]);
                }
            });
            std::sort(m_children.begin() + static_cast<std::ptrdiff_t>(first), m_children.end());
            m_children.erase(std::unique(m_children.begin() + static_cast<std::ptrdiff_t>(first), m_children.end()),
                             m_children.end());
            m_begin.push_back(static_cast<std::uint32_t>(m_children.size()));
        }
        // Classes that were merged since then are found through any of their members.
        for (std::uint32_t id = 0; id < m_graph.idCount(); ++id) {
            m_numberOf[id] = m_numberOf[m_graph.find(ENodeId(id)).value];
        }
        findHeights();
        m_seen.assign(leaders.size(), 0);
        m_search = 0;
    }

    bool mayUnite(ENodeId left, ENodeId right) override {
        m_frontier.clear();
        addFrontier(m_graph.find(right));
        const std::uint32_t root = numberOf(m_graph.find(left));
        if (root == NoClass) return true;
        const std::uint32_t own = numberOf(m_graph.find(right));
        return std::ranges::none_of(
            m_frontier, [&](std::uint32_t below) { return (below != own && below == root) || reaches(below, root); });
    }

    bool mayApply(std::span<const ENodeId> variables, std::span<const ENodeId> roots) override {
        return isApart(variables, roots, [this](ENodeId from, ENodeId to) {
            const std::uint32_t above = numberOf(m_graph.find(from));
            const std::uint32_t below = numberOf(m_graph.find(to));
            return above != NoClass && below != NoClass && reaches(above, below);
        });
    }

private:
    [[nodiscard]] std::uint32_t numberOf(ENodeId member) const {
        return member.value < m_numberOf.size() ? m_numberOf[member.value] : NoClass;
    }

    /// Collects the classes of the batch's start that make up a class: the class itself, or those below its new nodes.
    void addFrontier(ENodeId eclass) {
        std::vector<ENodeId> open{eclass};
        absl::flat_hash_set<ENodeId> seen;
        while (!open.empty()) {
            const ENodeId at = open.back();
            open.pop_back();
            if (!seen.insert(at).second) continue;
            if (const std::uint32_t known = numberOf(at); known != NoClass) {
                m_frontier.push_back(known);
                continue;
            }
            m_graph.forEachMember(at, [&](ENodeId node) {
                for (const std::uint32_t child : m_graph.children(node)) open.push_back(m_graph.find(ENodeId(child)));
            });
        }
    }

    /// Computes the longest path down from each class. On a cycle (possible only if it existed before the filter was
    /// used) the path ends where it would close.
    void findHeights() {
        constexpr std::uint32_t OnWay = NoClass - 1;
        const std::size_t count = m_begin.size() - 1;
        m_height.assign(count, NoClass);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  // class, next child
        for (std::uint32_t start = 0; start < count; ++start) {
            if (m_height[start] != NoClass) continue;
            open.emplace_back(start, m_begin[start]);
            m_height[start] = OnWay;
            while (!open.empty()) {
                auto& [at, next] = open.back();
                if (next < m_begin[at + 1]) {
                    const std::uint32_t child = m_children[next++];
                    if (m_height[child] != NoClass) continue;
                    m_height[child] = OnWay;
                    open.emplace_back(child, m_begin[child]);
                    continue;
                }
                std::uint32_t height = 0;
                for (std::uint32_t i = m_begin[at]; i < m_begin[at + 1]; ++i) {
                    const std::uint32_t below = m_height[m_children[i]];
                    if (below != OnWay) height = std::max(height, below + 1);
                }
                m_height[at] = height;
                open.pop_back();
            }
        }
    }

    bool reaches(std::uint32_t from, std::uint32_t to) {
        if (m_height[from] <= m_height[to]) return false;
        ++m_search;
        std::vector<std::uint32_t> open{from};
        while (!open.empty()) {
            const std::uint32_t at = open.back();
            open.pop_back();
            for (std::uint32_t i = m_begin[at]; i < m_begin[at + 1]; ++i) {
                const std::uint32_t child = m_children[i];
                if (child == to) return true;
                if (m_height[child] <= m_height[to] || m_seen[child] == m_search) continue;
                m_seen[child] = m_search;
                open.push_back(child);
            }
        }
        return false;
    }

    const EGraph& m_graph;
    std::vector<std::uint32_t> m_numberOf;  // by e-node: number of its class
    std::vector<std::uint32_t> m_begin;     // by class: start of its children
    std::vector<std::uint32_t> m_children;
    std::vector<std::uint32_t> m_height;
    std::vector<std::uint32_t> m_seen;  // by class: the last search that visited it
    std::uint32_t m_search = 0;
    std::vector<std::uint32_t> m_frontier;
};

/// The age of each live node: that of the oldest member that is congruent to it.
std::vector<std::uint32_t> agesOf(const EGraph& graph) {
    std::vector<std::uint32_t> ages(graph.idCount());
    for (std::uint32_t id = 0; id < graph.idCount(); ++id) ages[id] = id;
    absl::InlinedVector<ENodeId, 8> children;
    for (std::uint32_t id = 0; id < graph.idCount(); ++id) {
        if (graph.isLive(ENodeId(id))) continue;
        children.clear();
        for (const std::uint32_t child : graph.originalChildren(ENodeId(id))) children.emplace_back(child);
        std::uint32_t& age = ages[graph.congruent(graph.headOf(ENodeId(id)), children).value];
        age = std::min(age, id);
    }
    return ages;
}

/// Depth-first search through the classes; `cut` chooses the node of a cycle to filter, or returns NoClass to stop.
template <typename Cut>
void searchCycles(const EGraph& graph, const EGraph::Index& index, Cut cut) {
    enum State : std::uint8_t { New, Open, Done };
    struct Level {
        std::uint32_t eclass;
        std::uint32_t member;  // index into Index::members
        std::uint32_t child = 0;
    };
    std::vector<std::uint8_t> state(graph.idCount(), New);
    std::vector<Level> path;
    std::vector<std::uint32_t> cycle;
    for (const std::uint32_t start : index.classes) {
        if (state[start] != New) continue;
        path.push_back({start, graph.indexRange(ENodeId(start)).begin});
        state[start] = Open;
        while (!path.empty()) {
            Level& level = path.back();
            if (level.member == graph.indexRange(ENodeId(level.eclass)).end) {
                state[level.eclass] = Done;
                path.pop_back();
                continue;
            }
            const ENodeId node(index.members[level.member]);
            const auto children = graph.children(node);
            if (level.child == children.size() || graph.isFiltered(node)) {
                ++level.member;
                level.child = 0;
                continue;
            }
            const std::uint32_t child = graph.find(ENodeId(children[level.child++])).value;
            if (state[child] == Done) continue;
            if (state[child] == New) {
                state[child] = Open;
                path.push_back({child, graph.indexRange(ENodeId(child)).begin});
                continue;
            }
            cycle.clear();
            std::size_t first = path.size();
            while (first > 0 && (cycle.empty() || path[first].eclass != child)) {
                cycle.push_back(index.members[path[--first].member]);
            }
            const std::uint32_t gone = cut(cycle);
            if (gone == NoClass) return;
            // Return to the class of the filtered node; the classes above it on the path are still open.
            while (index.members[path.back().member] != gone) {
                state[path.back().eclass] = New;
                path.pop_back();
            }
        }
    }
}

}  // namespace

const std::vector<std::string>& cycleFilterNames() {
    static const std::vector<std::string> names{"none", "vanilla", "efficient"};
    return names;
}

Result<CycleFilter> cycleFilter(std::string_view name) {
    if (name == "none") return CycleFilter::None;
    if (name == "vanilla") return CycleFilter::Vanilla;
    if (name == "efficient") return CycleFilter::Efficient;
    return noSuchName("cycle filter", name, {cycleFilterNames().begin(), cycleFilterNames().end()});
}

std::unique_ptr<UnionGuard> makeUnionGuard(CycleFilter filter, const EGraph& graph) {
    switch (filter) {
        case CycleFilter::Vanilla: return std::make_unique<Vanilla>(graph);
        case CycleFilter::Efficient: return std::make_unique<Efficient>(graph);
        case CycleFilter::None: break;
    }
    return nullptr;
}

std::uint64_t filterCycles(EGraph& graph) {
    const EGraph::Index index = graph.index();  // a copy, so that its order is stable while nodes are filtered
    std::optional<std::vector<std::uint32_t>> ages;
    std::vector<std::uint32_t> filtered;
    searchCycles(graph, index, [&](const std::vector<std::uint32_t>& cycle) {
        if (!ages) ages = agesOf(graph);
        const std::uint32_t youngest =
            *std::ranges::max_element(cycle, [&](std::uint32_t a, std::uint32_t b) { return (*ages)[a] < (*ages)[b]; });
        graph.filter(ENodeId(youngest));
        filtered.push_back(youngest);
        return youngest;
    });
    return filtered.size();
}

bool hasCycle(EGraph& graph) {
    bool isFound = false;
    searchCycles(graph, graph.index(), [&](const std::vector<std::uint32_t>&) {
        isFound = true;
        return NoClass;
    });
    return isFound;
}

}  // namespace mitos::egraph
