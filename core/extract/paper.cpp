// SPDX-License-Identifier: GPL-3.0-or-later
// Algorithm 2 of "Optimizing Tensor Computation Graphs with Equality Saturation and Monte Carlo Tree Search" (PACT
// 2024), section 4.2, line by line, called in the sweeps of a bottom-up extractor: all classes, children first, repeated
// until no cost decreases. A class is skipped where the function would return what it returned before.
#include "core/extract/bottom_up.h"
#include "core/extract/internal/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace mitos::extract {

namespace {

constexpr double Unpriced = std::numeric_limits<double>::infinity();

/// Histories map classes to the costs they added. A node's history starts as a copy of its first child's, so it is
/// stored as a reference to that one plus the later entries: a chain of n nodes takes n entries, not n².
class Histories {
public:
    struct Entry {
        std::uint32_t eclass = 0;
        double cost = 0.0;
        bool operator==(const Entry&) const = default;
    };
    using Id = std::uint32_t;

    [[nodiscard]] bool is(Id id, Id base, const std::vector<Entry>& more) const {
        const History& known = m_histories[id];
        const auto begin = m_entries.begin() + static_cast<std::ptrdiff_t>(known.begin);
        const auto end = m_entries.begin() + static_cast<std::ptrdiff_t>(known.end);
        return known.base == base && std::equal(begin, end, more.begin(), more.end());
    }
    [[nodiscard]] Id add(Id base, const std::vector<Entry>& more) {
        m_histories.push_back({base, m_entries.size(), m_entries.size() + more.size()});
        m_entries.insert(m_entries.end(), more.begin(), more.end());
        return static_cast<Id>(m_histories.size() - 1);
    }
    /// Newest first: an entry hides older entries of its class.
    template <typename F>
    void forEach(Id id, F&& f) const {
        for (; id != None; id = m_histories[id].base) {
            for (std::size_t i = m_histories[id].end; i > m_histories[id].begin; --i) f(m_entries[i - 1]);
        }
    }
    [[nodiscard]] std::size_t size() const { return m_entries.size(); }

private:
    struct History {
        Id base = None;
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    std::vector<History> m_histories;
    std::vector<Entry> m_entries;
};

/// The algorithm's data and its cost function, with the names of the paper.
class CostFunction {
public:
    explicit CostFunction(const Problem& problem)
        : m_eClassHist(problem.classCount(), None),
          m_inHistory(problem.classCount(), 0),
          m_inChild(problem.classCount(), 0) {}

    /// Lines 1 and 3: the nodes of a class follow.
    void begin() {
        m_bestEnodeCost = Unpriced;
        m_bestEnodeHist.clear();
        m_bestBase = None;
    }
    /// Line 2: the class has its best node. Returns whether its history is another one than before.
    bool end(std::uint32_t eClass) {
        Histories::Id& known = m_eClassHist[eClass];
        if (known != None && m_histories.is(known, m_bestBase, m_bestEnodeHist)) return false;
        known = m_histories.add(m_bestBase, m_bestEnodeHist);
        return true;
    }
    /// The cost of a node of the class that began last, with `operatorCost` and `children`.
    double cost(double operatorCost, std::span<const std::uint32_t> children, const std::vector<double>& costs) {
        ++m_epoch;
        m_enodeHist.clear();
        m_enodeBase = None;
        double enodeCost = operatorCost;  // line 5
        for (const std::uint32_t child : children) {
            double childCost = 0.0;
            if (m_inHistory[child] == m_epoch) continue;  // case 1
            if (m_eClassHist[child] != None) {            // case 2
                double maxCost = 0.0;
                const bool isFirst = m_enodeHist.empty() && m_enodeBase == None;
                if (isFirst) m_enodeBase = m_eClassHist[child];
                ++m_childEpoch;
                m_histories.forEach(m_eClassHist[child], [&](const Histories::Entry& entry) {
                    if (m_inChild[entry.eclass] == m_childEpoch) return;
                    m_inChild[entry.eclass] = m_childEpoch;
                    if (m_inHistory[entry.eclass] == m_epoch) {
                        maxCost = std::max(maxCost, entry.cost);
                    } else {
                        m_inHistory[entry.eclass] = m_epoch;
                        if (!isFirst) m_enodeHist.push_back(entry);
                    }
                });
                childCost = std::max(costs[child] - maxCost, 0.0);
            } else {  // case 3
                childCost = costs[child];
            }
            m_inHistory[child] = m_epoch;  // line 20
            m_enodeHist.push_back({child, childCost});
            enodeCost += childCost;
        }
        if (enodeCost < m_bestEnodeCost) {  // lines 22–24
            m_bestEnodeHist = m_enodeHist;
            m_bestBase = m_enodeBase;
            m_bestEnodeCost = enodeCost;
        }
        return enodeCost;
    }
    [[nodiscard]] std::size_t size() const { return m_histories.size(); }

private:
    double m_bestEnodeCost = Unpriced;
    std::vector<Histories::Entry> m_bestEnodeHist;
    Histories::Id m_bestBase = None;
    std::vector<Histories::Id> m_eClassHist;

    std::vector<Histories::Entry> m_enodeHist;  ///< entries in addition to m_enodeBase
    Histories::Id m_enodeBase = None;
    std::vector<std::uint64_t> m_inHistory;  ///< by class: the last call whose history contains it
    std::uint64_t m_epoch = 0;
    std::vector<std::uint64_t> m_inChild;  ///< by class: the last child whose history contains it
    std::uint64_t m_childEpoch = 0;
    Histories m_histories;
};

/// Classes whose chosen nodes lead only to leaves, without cycles and without a class that has no node.
std::vector<bool> wellFounded(const Problem& problem, const ParentIndex& parents, const Choice& choice) {
    std::vector<bool> isFounded(problem.classCount(), false);
    std::vector<std::size_t> missing(problem.classCount(), 0);
    std::vector<std::uint32_t> open;
    for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) {
        if (choice[eclass] == None) continue;
        missing[eclass] = problem.childrenOf(choice[eclass]).size();
        if (missing[eclass] == 0) open.push_back(eclass);
    }
    while (!open.empty()) {
        const std::uint32_t eclass = open.back();
        open.pop_back();
        isFounded[eclass] = true;
        for (const std::uint32_t parent : parents.parentsOf(eclass)) {
            const std::uint32_t above = parents.classOf(parent);
            if (choice[above] == parent && --missing[above] == 0) open.push_back(above);
        }
    }
    return isFounded;
}

/// All classes, each after the classes that its nodes need, apart from cycles: the bottom-up order of section 2.2.
std::vector<std::uint32_t> childrenFirst(const Problem& problem) {
    std::vector<std::uint32_t> order;
    order.reserve(problem.classCount());
    std::vector<bool> isSeen(problem.classCount(), false);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> path;  // class, next of the children of its nodes
    const auto enter = [&](std::uint32_t eclass) {
        if (isSeen[eclass]) return;
        isSeen[eclass] = true;
        path.emplace_back(eclass, problem.childBegin[problem.classBegin[eclass]]);
    };
    const auto visit = [&](std::uint32_t start) {
        enter(start);
        while (!path.empty()) {
            auto& [eclass, next] = path.back();
            if (next == problem.childBegin[problem.classBegin[eclass + 1]]) {
                order.push_back(eclass);
                path.pop_back();
            } else {
                enter(problem.children[next++]);
            }
        }
    };
    for (const std::uint32_t root : problem.roots) visit(root);
    for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) visit(eclass);
    return order;
}

}  // namespace

Result<Extraction> runPaper(const Problem& problem, const Options& /*options*/, const Deadline& deadline) {
    constexpr std::size_t MostEntries = 20'000'000;
    constexpr std::size_t Patience = 64;
    CostFunction function(problem);
    const ParentIndex parents(problem);
    const std::vector<std::uint32_t> order = childrenFirst(problem);
    std::vector<double> costs(problem.classCount(), Unpriced);
    Choice choice(problem.classCount(), None);
    std::vector<bool> isOpen(problem.classCount(), true);  // something about a child of the class has changed
    std::size_t calls = 0;
    bool isComplete = true;
    for (bool changed = true; changed && isComplete;) {
        changed = false;
        for (const std::uint32_t eclass : order) {
            if (!isOpen[eclass]) continue;
            isOpen[eclass] = false;
            if ((calls++ % Patience == 0 && deadline.isReached()) || function.size() > MostEntries) {
                isComplete = false;
                break;
            }
            double least = Unpriced;
            std::uint32_t best = None;
            function.begin();
            for (std::uint32_t node = problem.classBegin[eclass]; node < problem.classBegin[eclass + 1]; ++node) {
                const auto children = problem.childrenOf(node);
                const auto isKnown = [&](std::uint32_t child) { return choice[child] != None; };
                if (!std::ranges::all_of(children, isKnown)) continue;
                const double cost = function.cost(problem.cost[node], children, costs);
                if (cost < least || best == None) {
                    least = cost;
                    best = node;
                }
            }
            if (best == None) continue;
            const bool isOther = function.end(eclass);
            const bool isCheaper = choice[eclass] == None || least < costs[eclass];
            if (isCheaper) {
                costs[eclass] = least;
                choice[eclass] = best;
                changed = true;
            }
            if (!isOther && !isCheaper) continue;
            for (const std::uint32_t parent : parents.parentsOf(eclass)) isOpen[parents.classOf(parent)] = true;
        }
    }
    Extraction answer;
    if (isComplete) {
        // Several roots are priced as one operator over them, as in the paper's models.
        answer.predicted =
            problem.roots.size() == 1 ? costs[problem.roots.front()] : function.cost(0.0, problem.roots, costs);
    } else {
        answer.note = "stopped before the costs converged; the remaining classes are chosen as by tree";
    }
    // The function does not detect cycles, and its subtraction can make a node cheaper than its child.
    const std::vector<bool> isFounded = wellFounded(problem, parents, choice);
    const Choice tree = bottomUp(problem, parents, nonNegativeCosts(problem)).choice;
    std::size_t repaired = 0;
    for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) {
        if (isFounded[eclass]) continue;
        choice[eclass] = tree[eclass];
        if (tree[eclass] != None) ++repaired;
    }
    if (isComplete && repaired > 0) {
        answer.note = fmt::format("the cost function chose cycles: {} classes are chosen as by tree", repaired);
    }
    answer.choice = std::move(choice);
    return answer;
}

}  // namespace mitos::extract
