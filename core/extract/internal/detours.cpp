// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/detours.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace mitos::extract {

namespace {

/// The cost of what cannot be replaced.
constexpr double Impossible = std::numeric_limits<double>::infinity();
/// A class with more users is nearly always worth its cost.
constexpr std::size_t MostUsers = 16;
/// How many classes may be left out, one because of the other.
constexpr std::size_t MostLeftOut = 4;

class Detours {
public:
    Detours(const Problem& problem, const Knowledge& known)
        : m_problem(problem),
          m_parents(problem),
          m_known(known),
          m_isRoot(problem.classCount(), false),
          m_left(problem.classCount(), 0),
          m_isRemoved(problem.nodeCount(), false),
          m_below(known.requirements.emptySet()) {
        for (const std::uint32_t root : problem.roots) m_isRoot[root] = true;
        for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass)
            m_left[eclass] = problem.classBegin[eclass + 1] - problem.classBegin[eclass];
    }

    std::vector<bool> run(const Deadline& deadline) {
        if (m_problem.classCount() > Requirements::MostClasses) return std::move(m_isRemoved);
        constexpr std::uint32_t Patience = 64;
        for (std::uint32_t eclass = 0; eclass < m_problem.classCount(); ++eclass) {
            if (eclass % Patience == 0 && deadline.isReached()) break;
            if (m_isRoot[eclass] || m_parents.parentsOf(eclass).size() > MostUsers) continue;
            for (std::uint32_t n = m_problem.classBegin[eclass]; n < m_problem.classBegin[eclass + 1]; ++n) {
                if (!m_isRemoved[n] && hasDetour(n)) remove(n);
            }
        }
        return std::move(m_isRemoved);
    }

private:
    using Bits = std::vector<std::uint64_t>;
    /// A class that uses the one whose node may be removed.
    struct Owner {
        std::uint32_t eclass = 0;
        double least = 0.0;        ///< a lower bound on the additional cost of a replacement
        double replacement = 0.0;  ///< that cost, without an extra class
    };
    /// A class that replacements may need in addition, and its price.
    struct Extra {
        std::uint32_t eclass = None;
        double cost = 0.0;
    };

    void remove(std::uint32_t node) {
        m_isRemoved[node] = true;
        const std::uint32_t eclass = m_parents.classOf(node);
        if (--m_left[eclass] > 0) return;
        for (const std::uint32_t user : m_parents.parentsOf(eclass)) {
            if (!m_isRemoved[user]) remove(user);
        }
    }

    bool hasDetour(std::uint32_t node) {
        const std::uint32_t eclass = m_parents.classOf(node);
        const double cost = m_problem.cost[node];
        m_leftOut.assign(1, eclass);
        if (!findOwners(eclass, cost)) return false;
        std::ranges::fill(m_below, 0);
        for (const std::uint32_t child : m_problem.childrenOf(node)) m_known.requirements.addTo(m_below, child);
        if (canDoWithout(eclass, cost, None)) return true;
        // A class in the place of this one must help the owner whose replacement is most expensive.
        const std::uint32_t owner = std::ranges::max_element(m_owners, {}, &Owner::replacement)->eclass;
        m_tried.assign(1, eclass);
        for (std::uint32_t n = m_problem.classBegin[owner]; n < m_problem.classBegin[owner + 1]; ++n) {
            if (m_isRemoved[n]) continue;
            for (const std::uint32_t child : m_problem.childrenOf(n)) {
                if (contains(m_below, child) || std::ranges::find(m_tried, child) != m_tried.end()) continue;
                m_tried.push_back(child);
                if (mayHelp(child, cost) && canDoWithout(eclass, cost, child)) return true;
            }
        }
        return false;
    }

    /// Finds the classes that use a class. Returns false if they cannot do without it at that cost, whatever is there anyway.
    bool findOwners(std::uint32_t eclass, double cost) {
        m_owners.clear();
        double total = 0.0;
        const auto users = m_parents.parentsOf(eclass);
        for (std::size_t i = 0; i < users.size();) {
            Owner owner{m_parents.classOf(users[i])};
            double most = -Impossible;
            for (; i < users.size() && m_parents.classOf(users[i]) == owner.eclass; ++i) {
                if (!m_isRemoved[users[i]]) most = std::max(most, m_problem.cost[users[i]]);
            }
            if (most < 0.0 || owner.eclass == eclass) continue;
            double least = Impossible;
            for (std::uint32_t n = m_problem.classBegin[owner.eclass]; n < m_problem.classBegin[owner.eclass + 1];
                 ++n) {
                if (m_problem.cost[n] < least && isPossible(n)) least = m_problem.cost[n];
            }
            if (least == Impossible && m_isRoot[owner.eclass]) return false;
            owner.least = least == Impossible ? 0.0 : std::max(0.0, least - most);
            total += owner.least;
            m_owners.push_back(owner);
        }
        return total <= cost && !m_owners.empty();
    }

    /// Whether the class could take the place of the one with the owners.
    [[nodiscard]] bool mayHelp(std::uint32_t eclass, double cost) const {
        const auto users = m_parents.parentsOf(eclass);
        double total = 0.0;
        for (const Owner& owner : m_owners) {
            const bool isUsed =
                std::ranges::any_of(users, [&](std::uint32_t user) { return m_parents.classOf(user) == owner.eclass; });
            total += isUsed ? owner.least : owner.replacement;
        }
        return total <= cost;
    }

    /// Whether all that uses the class can be replaced at that cost, with `extra` (None: no class) in its place.
    bool canDoWithout(std::uint32_t eclass, double cost, std::uint32_t extra) {
        m_leftOut.assign(1, eclass);
        for (;;) {
            const std::size_t before = m_leftOut.size();
            m_extra = {extra, extra == None ? 0.0 : priceOfExtra(extra, cost)};
            m_limit = cost - m_extra.cost;
            if (m_limit < 0.0) return false;
            double total = 0.0;
            for (Owner& owner : m_owners) {
                const double replacement = costOfReplacing(eclass, owner.eclass, m_below, 0);
                if (extra == None) owner.replacement = std::max(0.0, replacement);
                total += std::max(0.0, replacement);
                if (total > m_limit && extra != None) return false;
            }
            if (m_leftOut.size() == before) return total <= m_limit;
        }
    }

    /// The price of a term of the class over what the node to be removed, of that cost, requires. Impossible if the term could need that
    /// node.
    [[nodiscard]] double priceOfExtra(std::uint32_t eclass, double cost) const {
        if (isLeftOut(eclass)) return Impossible;
        double least = Impossible;
        for (std::uint32_t n = m_problem.classBegin[eclass]; n < m_problem.classBegin[eclass + 1]; ++n) {
            if (!isPossible(n)) continue;
            double below = 0.0;
            bool isClosed = true;
            for (const std::uint32_t child : m_problem.childrenOf(n)) {
                if (contains(m_below, child)) continue;
                isClosed = false;
                below += m_known.trees[child];
            }
            // A term that costs less than the node does not contain it.
            if (isClosed || below < cost) least = std::min(least, m_problem.cost[n] + below);
        }
        return least;
    }

    [[nodiscard]] bool isLeftOut(std::uint32_t eclass) const {
        return std::ranges::find(m_leftOut, eclass) != m_leftOut.end();
    }
    /// Whether the node is there and needs no class that is left out.
    [[nodiscard]] bool isPossible(std::uint32_t node) const {
        const auto children = m_problem.childrenOf(node);
        return !m_isRemoved[node] &&
               std::ranges::none_of(children, [&](std::uint32_t child) { return isLeftOut(child); });
    }

    /// The additional cost if the class, which is left out, is replaced in every node that uses it; `given` is there anyway. Classes
    /// without a replacement are left out, too; then the result is valid only if it is computed again.
    [[nodiscard]] double costWithout(std::uint32_t eclass, const Bits& given, std::size_t depth) {
        const auto users = m_parents.parentsOf(eclass);
        if (users.size() > MostUsers || depth == MostLeftOut) return Impossible;
        double total = 0.0;
        std::uint32_t last = None;
        for (const std::uint32_t user : users) {
            const std::uint32_t owner = std::exchange(last, m_parents.classOf(user));
            // The class of the node to be removed has that node, and none of the users.
            if (owner == last || last == m_leftOut.front()) continue;
            total += std::max(0.0, costOfReplacing(eclass, last, given, depth));
        }
        return total;
    }

    /// The additional cost if the owner does not use the class.
    [[nodiscard]] double costOfReplacing(std::uint32_t eclass, std::uint32_t owner, const Bits& given,
                                         std::size_t depth) {
        double most = 0.0;
        for (const std::uint32_t user : m_parents.parentsOf(eclass)) {
            if (m_isRemoved[user] || m_parents.classOf(user) != owner) continue;
            Bits there = given;
            for (const std::uint32_t child : m_problem.childrenOf(user)) {
                if (!isLeftOut(child)) m_known.requirements.addTo(there, child);
            }
            const double cost = isLeftOut(owner) ? Impossible : costOfOther(user, owner, there);
            if (cost < Impossible) {
                most = std::max(most, cost);
                continue;
            }
            if (!isLeftOut(owner)) {
                if (m_isRoot[owner] || m_leftOut.size() == MostLeftOut) return Impossible;
                m_leftOut.push_back(owner);
            }
            most = std::max(most, costWithout(owner, there, depth + 1) - m_problem.cost[user]);
        }
        return most;
    }

    /// The additional cost of the cheapest node in place of the user.
    [[nodiscard]] double costOfOther(std::uint32_t user, std::uint32_t owner, const Bits& there) const {
        const std::uint32_t component = m_known.components.of[owner];
        double least = Impossible;
        for (std::uint32_t n = m_problem.classBegin[owner]; n < m_problem.classBegin[owner + 1]; ++n) {
            const double own = m_problem.cost[n] - m_problem.cost[user];
            if (own >= least || !isPossible(n)) continue;
            double below = 0.0;
            bool isAllowed = true;
            for (const std::uint32_t child : m_problem.childrenOf(n)) {
                if (contains(there, child)) continue;
                // A class that leads back to the owner may already be needed, and need the owner.
                isAllowed = m_known.components.of[child] != component;
                if (isAllowed && child != m_extra.eclass) {
                    below += m_known.trees[child];
                    isAllowed = below < m_limit;
                }
                if (!isAllowed) break;
            }
            if (isAllowed) least = std::min(least, own + below);
        }
        return least;
    }

    const Problem& m_problem;
    const ParentIndex m_parents;
    const Knowledge& m_known;
    std::vector<bool> m_isRoot;
    std::vector<std::uint32_t> m_left;  ///< by class: the number of its nodes that are not removed
    std::vector<bool> m_isRemoved;      ///< by node

    // About the node that may be removed.
    Bits m_below;  ///< the classes that it requires
    std::vector<Owner> m_owners;
    std::vector<std::uint32_t> m_leftOut;  ///< its class, and users of it without a replacement
    Extra m_extra;
    double m_limit = 0.0;  ///< its cost, less that of the extra class
    std::vector<std::uint32_t> m_tried;
};

}  // namespace

std::vector<bool> nodesWithDetour(const Problem& problem, const Knowledge& known, const Deadline& deadline) {
    return Detours(problem, known).run(deadline);
}

}  // namespace mitos::extract
