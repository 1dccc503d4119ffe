// SPDX-License-Identifier: GPL-3.0-or-later
// Rounds of small reductions; each enables others.
#include "core/extract/internal/reduce.h"

#include "core/extract/bottom_up.h"
#include "core/extract/internal/components.h"
#include "core/extract/internal/detours.h"
#include "core/extract/internal/requirements.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace mitos::extract {

namespace {

constexpr int MostRounds = 20;
constexpr std::size_t MostForAll = 2000;  // classes
/// Number of classes between two looks at the clock.
constexpr std::uint32_t Patience = 32;

struct Node {
    double cost = 0.0;
    std::vector<std::uint32_t> children;  ///< sorted, without duplicates
    std::uint32_t origin = 0;
    std::vector<Reduction::Decision> merged = {};
};

void sortUnique(std::vector<std::uint32_t>& list) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// By class: the cost of its cheapest tree.
std::vector<double> treeCosts(const Problem& problem, const Components& components) {
    if (components.count < problem.classCount()) return bottomUp(problem, ParentIndex(problem), problem.cost).cost;
    // Without cycles, components are numbered from the leaves up.
    std::vector<std::uint32_t> order(problem.classCount());
    for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) order[components.of[eclass]] = eclass;
    std::vector<double> costs(problem.classCount(), std::numeric_limits<double>::infinity());
    for (const std::uint32_t eclass : order) {
        for (std::uint32_t node = problem.classBegin[eclass]; node < problem.classBegin[eclass + 1]; ++node) {
            double cost = problem.cost[node];
            for (const std::uint32_t child : problem.childrenOf(node)) cost += costs[child];
            costs[eclass] = std::min(costs[eclass], cost);
        }
    }
    return costs;
}

class Reducer {
public:
    explicit Reducer(const Problem& problem)
        : m_classes(problem.classCount()),
          m_isRoot(problem.classCount(), false),
          m_rounds(hasNegativeCosts(problem) ? 0 : MostRounds) {
        for (const std::uint32_t root : problem.roots) m_isRoot[root] = true;
        m_result.fixed.assign(problem.classCount(), None);
        const std::vector<bool> isFinite = haveTerms(problem, ParentIndex(problem));
        for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) {
            for (std::uint32_t node = problem.classBegin[eclass]; node < problem.classBegin[eclass + 1]; ++node) {
                const auto children = problem.childrenOf(node);
                const bool isUsable = std::ranges::all_of(
                    children, [&](std::uint32_t child) { return child != eclass && isFinite[child]; });
                if (!isUsable) continue;
                Node copy{problem.cost[node], {children.begin(), children.end()}, node};
                sortUnique(copy.children);
                m_classes[eclass].push_back(std::move(copy));
            }
        }
    }

    Reduction run(const Deadline& deadline) {
        pruneUnreachable();
        pack();
        for (int round = 0; round < m_rounds && !deadline.isReached(); ++round) {
            m_changed = false;
            inlineClasses(deadline);
            pruneUnreachable();
            useRequirements(deadline);
            if (!m_changed) break;
        }
        pruneUnreachable();
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
        for (std::uint32_t eclass = 0; eclass < m_classes.size(); ++eclass) {
            if (m_isRoot[eclass]) reach(eclass);
        }
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
        m_result.merged.clear();
        packed.classBegin.push_back(0);
        packed.childBegin.push_back(0);
        for (const std::uint32_t eclass : m_numbers) {
            for (const Node& node : m_classes[eclass]) {
                packed.cost.push_back(node.cost);
                packed.origin.push_back(node.origin);
                m_result.merged.push_back(node.merged);
                for (const std::uint32_t child : node.children) packed.children.push_back(m_packed[child]);
                packed.childBegin.push_back(static_cast<std::uint32_t>(packed.children.size()));
            }
            packed.classBegin.push_back(packed.nodeCount());
        }
        for (const std::uint32_t eclass : m_numbers) {
            if (m_isRoot[eclass]) packed.roots.push_back(m_packed[eclass]);
        }
    }

    void useRequirements(const Deadline& deadline) {
        pack();
        const Requirements requirements(m_result.problem, deadline);
        const Components components = componentsOfClasses(m_result.problem);
        std::vector<std::uint64_t> always = requirements.emptySet();
        for (const std::uint32_t root : m_result.problem.roots) requirements.addTo(always, root);
        const std::vector<double> trees = treeCosts(m_result.problem, components);
        for (std::uint32_t i = 0; i < m_numbers.size(); ++i) {
            if (i % Patience == 0 && deadline.isReached()) return;
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
            for (Node& node : nodes) {
                m_changed |= std::erase_if(node.children, isGiven) > 0;
                if (isSmall()) removeGivenByOthers(node.children, requirements);
            }
            if (contains(always, i)) payFor(m_numbers[i]);
            removeDominated(nodes, requirements, [&](std::uint32_t child) {
                // A class that leads back here may already be needed, and need this one.
                return components.of[child] == components.of[i] ? std::numeric_limits<double>::infinity()
                                                                : trees[child];
            });
        }
        if (m_changed || !isSmall()) return;  // detours take longest to find, so the others come first
        pack();                               // the classes keep their numbers, as each has nodes left
        removeDetours(nodesWithDetour(m_result.problem, {requirements, components, trees}, deadline));
    }

    /// Whether exact solutions can be expected: of a larger problem, what else can be removed takes longer to find than it saves.
    [[nodiscard]] bool isSmall() const { return m_numbers.size() <= MostForAll; }

    /// Removes children that others require.
    void removeGivenByOthers(std::vector<std::uint32_t>& children, const Requirements& requirements) {
        if (children.size() < 2) return;
        const std::vector<std::uint32_t> all = children;
        m_changed |= std::erase_if(children, [&](std::uint32_t child) {
                         return std::ranges::any_of(all, [&](std::uint32_t other) {
                             return other != child && requirements.contains(m_packed[other], m_packed[child]);
                         });
                     }) > 0;
    }

    void removeDetours(const std::vector<bool>& isRemoved) {
        std::uint32_t node = 0;
        for (const std::uint32_t eclass : m_numbers)
            m_changed |= std::erase_if(m_classes[eclass], [&](const Node&) { return isRemoved[node++]; }) > 0;
    }

    void payFor(std::uint32_t eclass) {
        std::vector<Node>& nodes = m_classes[eclass];
        const auto byCost = [](const Node& a, const Node& b) { return a.cost < b.cost; };
        const double least = std::ranges::min_element(nodes, byCost)->cost;
        m_changed = m_changed || !m_isRoot[eclass];
        m_isRoot[eclass] = true;
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

    /// Nodes over a class: its class, and its place there.
    using Users = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

    [[nodiscard]] std::vector<Users> usersOfClasses() const {
        std::vector<Users> users(m_classes.size());
        for (std::uint32_t eclass = 0; eclass < m_classes.size(); ++eclass) {
            for (std::uint32_t i = 0; i < m_classes[eclass].size(); ++i) {
                for (const std::uint32_t child : m_classes[eclass][i].children) users[child].emplace_back(eclass, i);
            }
        }
        return users;
    }

    /// Replaces classes by their nodes, which become part of the nodes that use them: single nodes that are free or that one class would
    /// pay for, and several nodes if only one class uses them, and has no more nodes after that.
    void inlineClasses(const Deadline& deadline) {
        std::vector<Users> users = usersOfClasses();
        for (std::uint32_t eclass = 0; eclass < m_classes.size(); ++eclass) {
            const std::size_t count = m_classes[eclass].size();
            if (eclass % Patience == 0 && deadline.isReached()) return;
            if (count == 0) continue;
            const Users& own = users[eclass];
            const bool hasOneOwner = !own.empty() && std::ranges::all_of(own, [&](const auto& user) {
                return user.first == own.front().first;
            });
            // The next round removes nodes that need their own class.
            const bool needsItself = std::ranges::any_of(own, [&](const auto& user) { return user.first == eclass; });
            if (needsItself) continue;
            const bool isFree = count == 1 && m_classes[eclass].front().cost == 0.0;
            if (!isFree && (m_isRoot[eclass] || !hasOneOwner)) continue;
            if (count > 1 && (!isSmall() || count * own.size() > count + own.size())) continue;
            // With many users of many children, this would only copy edges.
            if (own.size() > 1 && count == 1 && own.size() * m_classes[eclass].front().children.size() > 64) continue;
            inlineClass(eclass, users);
        }
    }

    void inlineClass(std::uint32_t eclass, std::vector<Users>& users) {
        const std::vector<Node> gone = std::exchange(m_classes[eclass], {});
        m_changed = true;
        if (gone.size() == 1) fix(eclass, gone.front());
        for (std::uint32_t k = 0; k < gone.size(); ++k) {
            for (const std::uint32_t child : gone[k].children) std::erase(users[child], std::pair(eclass, k));
        }
        for (const auto& [owner, i] : users[eclass]) {
            std::erase(m_classes[owner][i].children, eclass);
            const Node old = m_classes[owner][i];
            for (std::uint32_t k = 0; k < gone.size(); ++k) {
                Node both = old;
                both.cost += gone[k].cost;
                if (gone.size() > 1) {
                    both.merged.insert(both.merged.end(), gone[k].merged.begin(), gone[k].merged.end());
                    both.merged.emplace_back(eclass, gone[k].origin);
                }
                both.children.clear();
                std::ranges::set_union(old.children, gone[k].children, std::back_inserter(both.children));
                const auto place = k == 0 ? i : static_cast<std::uint32_t>(m_classes[owner].size());
                for (const std::uint32_t child : both.children) {
                    if (k > 0 || !std::ranges::binary_search(old.children, child))
                        users[child].emplace_back(owner, place);
                }
                if (k == 0) {
                    m_classes[owner][i] = std::move(both);
                } else {
                    m_classes[owner].push_back(std::move(both));
                }
            }
        }
        users[eclass].clear();
        if (!m_isRoot[eclass]) return;
        m_isRoot[eclass] = false;
        for (const std::uint32_t child : gone.front().children) m_isRoot[child] = true;
    }

    void fix(std::uint32_t eclass, const Node& node) {
        m_result.fixed[eclass] = node.origin;
        for (const auto& [other, origin] : node.merged) m_result.fixed[other] = origin;
    }

    std::vector<std::vector<Node>> m_classes;
    std::vector<bool> m_isRoot;
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
        if (choice[i] == None) continue;
        result[classes[i]] = problem.origin[choice[i]];
        for (const auto& [eclass, node] : merged[choice[i]]) result[eclass] = node;
    }
    return result;
}

Reduction reduce(const Problem& problem, const Deadline& deadline) { return Reducer(problem).run(deadline); }

}  // namespace mitos::extract
