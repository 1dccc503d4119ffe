// SPDX-License-Identifier: GPL-3.0-or-later
// Rounds of small reductions; each enables others.
#include "core/extract/internal/reduce.h"

#include "core/extract/bottom_up.h"
#include "core/extract/internal/components.h"
#include "core/extract/internal/requirements.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mitos::extract {

namespace {

constexpr int MostRounds = 20;

struct Node {
    double cost = 0.0;
    std::vector<std::uint32_t> children;  ///< sorted, without duplicates
    std::uint32_t origin = 0;
};

void sortUnique(std::vector<std::uint32_t>& list) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

class Reducer {
public:
    explicit Reducer(const Problem& problem)
        : m_classes(problem.classCount()),
          m_roots(problem.roots),
          m_rounds(hasNegativeCosts(problem) ? 0 : MostRounds) {
        sortUnique(m_roots);
        m_result.fixed.assign(problem.classCount(), None);
        const BottomUp finite = bottomUp(problem, ParentIndex(problem), std::vector<double>(problem.nodeCount(), 0.0));
        for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) {
            for (std::uint32_t node = problem.classBegin[eclass]; node < problem.classBegin[eclass + 1]; ++node) {
                const auto children = problem.childrenOf(node);
                const bool isUsable = std::ranges::all_of(
                    children, [&](std::uint32_t child) { return child != eclass && finite.choice[child] != None; });
                if (!isUsable) continue;
                Node copy{problem.cost[node], {children.begin(), children.end()}, node};
                sortUnique(copy.children);
                m_classes[eclass].push_back(std::move(copy));
            }
        }
    }

    Reduction run(const Deadline& deadline) {
        pruneUnreachable();
        for (int round = 0; round < m_rounds && !deadline.isReached(); ++round) {
            m_changed = false;
            useRequirements(deadline);
            inlineSingles();
            pruneUnreachable();
            if (!m_changed) break;
        }
        pack();
        m_result.classes = m_numbers;
        return std::move(m_result);
    }

private:
    void pruneUnreachable() {
        std::vector<bool> isReached(m_classes.size(), false);
        std::vector<std::uint32_t> open;
        const auto reach = [&](std::uint32_t eclass) {
            if (isReached[eclass]) return;
            isReached[eclass] = true;
            open.push_back(eclass);
        };
        for (const std::uint32_t root : m_roots) reach(root);
        while (!open.empty()) {
            const std::uint32_t eclass = open.back();
            open.pop_back();
            for (const Node& node : m_classes[eclass]) {
                for (const std::uint32_t child : node.children) reach(child);
            }
        }
        for (std::uint32_t eclass = 0; eclass < m_classes.size(); ++eclass) {
            if (!isReached[eclass]) m_classes[eclass].clear();
        }
    }

    /// Writes the remaining problem to m_result.problem; m_numbers maps its classes to the numbers used here.
    void pack() {
        Problem& packed = m_result.problem;
        packed = {};
        m_numbers.clear();
        m_packed.assign(m_classes.size(), None);
        for (std::uint32_t eclass = 0; eclass < m_classes.size(); ++eclass) {
            if (m_classes[eclass].empty()) continue;
            m_packed[eclass] = static_cast<std::uint32_t>(m_numbers.size());
            m_numbers.push_back(eclass);
        }
        packed.classBegin.push_back(0);
        packed.childBegin.push_back(0);
        for (const std::uint32_t eclass : m_numbers) {
            for (const Node& node : m_classes[eclass]) {
                packed.cost.push_back(node.cost);
                packed.origin.push_back(node.origin);
                for (const std::uint32_t child : node.children) packed.children.push_back(m_packed[child]);
                packed.childBegin.push_back(static_cast<std::uint32_t>(packed.children.size()));
            }
            packed.classBegin.push_back(packed.nodeCount());
        }
        for (const std::uint32_t root : m_roots) packed.roots.push_back(m_packed[root]);
    }

    void useRequirements(const Deadline& deadline) {
        pack();
        const Requirements requirements(m_result.problem, deadline);
        const Components components = componentsOfClasses(m_result.problem);
        std::vector<std::uint64_t> always = requirements.emptySet();
        for (const std::uint32_t root : m_result.problem.roots) requirements.addTo(always, root);
        const std::vector<double> trees =
            bottomUp(m_result.problem, ParentIndex(m_result.problem), m_result.problem.cost).cost;
        for (std::uint32_t i = 0; i < m_numbers.size(); ++i) {
            std::vector<Node>& nodes = m_classes[m_numbers[i]];
            const auto needsItself = [&](const Node& node) {
                return std::ranges::any_of(
                    node.children, [&](std::uint32_t child) { return requirements.contains(m_packed[child], i); });
            };
            m_changed |= std::erase_if(nodes, needsItself) > 0;
            // A class that every choice needs and that cannot lead back here need not be required.
            const auto isGiven = [&](std::uint32_t child) {
                const std::uint32_t number = m_packed[child];
                return contains(always, number) && components.of[number] != components.of[i];
            };
            for (Node& node : nodes) m_changed |= std::erase_if(node.children, isGiven) > 0;
            if (contains(always, i)) payFor(m_numbers[i]);
            removeDominated(nodes, requirements, [&](std::uint32_t child) {
                // A class that leads back here may already be needed, and need this one.
                return components.of[child] == components.of[i] ? std::numeric_limits<double>::infinity()
                                                                : trees[child];
            });
        }
    }

    void payFor(std::uint32_t eclass) {
        std::vector<Node>& nodes = m_classes[eclass];
        const auto byCost = [](const Node& a, const Node& b) { return a.cost < b.cost; };
        const double least = std::ranges::min_element(nodes, byCost)->cost;
        const auto place = std::ranges::lower_bound(m_roots, eclass);
        if (place == m_roots.end() || *place != eclass) {
            m_roots.insert(place, eclass);
            m_changed = true;
        }
        if (least == 0.0) return;
        m_result.paid += least;
        m_changed = true;
        for (Node& node : nodes) node.cost -= least;
    }

    /// Removes each node that can be replaced by one that costs no more, together with the cheapest trees of what that
    /// node needs in addition (at most `priceOf` per class).
    template <typename PriceOf>
    void removeDominated(std::vector<Node>& nodes, const Requirements& requirements, PriceOf&& priceOf) {
        if (nodes.size() < 2) return;
        std::ranges::stable_sort(nodes, [](const Node& a, const Node& b) {
            return std::pair(a.cost, a.children.size()) < std::pair(b.cost, b.children.size());
        });
        std::vector<Node> kept;
        for (Node& node : nodes) {
            std::vector<std::uint64_t> everything = requirements.emptySet();
            for (const std::uint32_t child : node.children) requirements.addTo(everything, m_packed[child]);
            const bool isDominated = std::ranges::any_of(kept, [&](const Node& better) {
                double price = better.cost;
                for (const std::uint32_t child : better.children) {
                    if (!contains(everything, m_packed[child])) price += priceOf(m_packed[child]);
                    if (price > node.cost) return false;
                }
                return price <= node.cost;
            });
            if (!isDominated) kept.push_back(std::move(node));
        }
        m_changed |= kept.size() < nodes.size();
        nodes = std::move(kept);
    }

    /// Replaces classes with a single node by its children, if the node is free or only one node would pay for it.
    void inlineSingles() {
        std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> users(m_classes.size());
        for (std::uint32_t eclass = 0; eclass < m_classes.size(); ++eclass) {
            for (std::uint32_t i = 0; i < m_classes[eclass].size(); ++i) {
                for (const std::uint32_t child : m_classes[eclass][i].children) users[child].emplace_back(eclass, i);
            }
        }
        for (std::uint32_t eclass = 0; eclass < m_classes.size(); ++eclass) {
            if (m_classes[eclass].size() != 1) continue;
            const Node& only = m_classes[eclass].front();
            const auto root = std::ranges::lower_bound(m_roots, eclass);
            const bool isRoot = root != m_roots.end() && *root == eclass;
            const bool isFree = only.cost == 0.0;
            if (!isFree && (isRoot || users[eclass].size() != 1)) continue;
            // With many users of many children, this would only copy edges.
            if (users[eclass].size() > 1 && users[eclass].size() * only.children.size() > 64) continue;
            const Node gone = std::move(m_classes[eclass].front());
            m_classes[eclass].clear();
            m_result.fixed[eclass] = gone.origin;
            m_changed = true;
            for (const auto& [user, i] : users[eclass]) {
                Node& node = m_classes[user][i];
                node.cost += gone.cost;
                std::erase(node.children, eclass);
                for (const std::uint32_t child : gone.children) {
                    const auto place = std::ranges::lower_bound(node.children, child);
                    if (place != node.children.end() && *place == child) continue;
                    node.children.insert(place, child);
                    users[child].emplace_back(user, i);
                }
            }
            for (const std::uint32_t child : gone.children) std::erase(users[child], std::pair(eclass, 0U));
            if (isRoot) {
                m_roots.erase(root);
                m_roots.insert(m_roots.end(), gone.children.begin(), gone.children.end());
                sortUnique(m_roots);
            }
        }
    }

    std::vector<std::vector<Node>> m_classes;
    std::vector<std::uint32_t> m_roots;  ///< sorted
    std::vector<std::uint32_t> m_numbers;
    std::vector<std::uint32_t> m_packed;
    int m_rounds;
    bool m_changed = false;
    Reduction m_result;
};

}  // namespace

Choice Reduction::expand(const Choice& choice) const {
    Choice result = fixed;
    for (std::uint32_t i = 0; i < choice.size(); ++i) {
        if (choice[i] != None) result[classes[i]] = problem.origin[choice[i]];
    }
    return result;
}

Reduction reduce(const Problem& problem, const Deadline& deadline) { return Reducer(problem).run(deadline); }

}  // namespace mitos::extract
