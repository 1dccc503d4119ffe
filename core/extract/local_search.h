// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a choice cheaper by changing it where it stands.
#pragma once

#include "core/extract/deadline.h"
#include "core/extract/parent_index.h"
#include "core/extract/problem.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mitos::extract {

/// Looks at a needed class together with everything that only it needs, takes that out, and puts back the cheapest
/// term over what stays, which is free then. That is where greedy extraction goes wrong: it cannot know what is there anyway.
class LocalSearch {
public:
    /// The choice must be complete and acyclic. Problem and parents must outlive this.
    LocalSearch(const Problem& problem, const ParentIndex& parents, Choice choice);

    /// Single classes, until none can be improved.
    void descend(const Deadline& deadline);

    /// First single classes, until none can be improved; then each other node of each class is forced, and stays if what changes
    /// around it pays for it. Ends when neither helps, or at the deadline.
    void run(const Deadline& deadline);

    /// Complete for what the roots need.
    [[nodiscard]] const Choice& choice() const { return m_choice; }

private:
    /// What a change overwrote: a class and its node before.
    using Trail = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

    [[nodiscard]] bool isNeeded(std::uint32_t eclass) const { return m_uses[eclass] > 0; }
    void use(std::uint32_t node);      ///< as the node of a needed class
    void release(std::uint32_t node);  ///< no longer
    void improve(const std::vector<std::uint32_t>& open, const Deadline& deadline);
    bool improveClass(std::uint32_t eclass);
    bool forceNodes(const Deadline& deadline);
    bool tryForcing(std::uint32_t eclass, std::uint32_t node, const Deadline& deadline);
    /// The cheapest way to `eclass`, by one of these nodes of it, over what is needed anyway; false if it costs `limit` or more.
    bool findTerm(std::uint32_t eclass, std::span<const std::uint32_t> nodes, double limit);
    void takeFoundTerm(std::uint32_t eclass, Trail& trail);
    void markAbove(std::uint32_t eclass);
    void exploreBelow(std::uint32_t eclass, std::span<const std::uint32_t> nodes);
    [[nodiscard]] std::vector<std::uint32_t> classesAround(const std::vector<std::uint32_t>& changed) const;
    [[nodiscard]] std::vector<std::uint32_t> neededClasses() const;
    [[nodiscard]] double weight(std::uint32_t node) const;

    const Problem& m_problem;
    const ParentIndex& m_parents;
    Choice m_choice;
    std::vector<std::uint32_t> m_uses;  ///< by class: chosen nodes of needed classes, and roots, that ask for it
    double m_cost = 0.0;
    std::size_t m_reach = 0;        ///< classes that the search for a term looks at
    std::uint32_t m_locked = None;  ///< a class that keeps its forced node

    // Marks of the search for one term; an entry counts if it holds the number of that search.
    std::uint32_t m_search = 0;
    std::vector<std::uint32_t> m_above;    ///< by class: cannot be used below the class in question
    std::vector<std::uint32_t> m_seen;     ///< by class
    std::vector<std::uint32_t> m_settled;  ///< by class
    std::vector<std::uint32_t> m_inside;   ///< by node
    std::vector<std::uint32_t> m_missing;  ///< by node: children that are not settled
    std::vector<double> m_total;           ///< by node
    std::vector<std::uint32_t> m_term;     ///< by class: the node found
    std::vector<std::uint32_t> m_leaves;   ///< nodes that need nothing new
    std::vector<std::uint32_t> m_stack;
};

}  // namespace mitos::extract
