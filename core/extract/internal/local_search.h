// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a choice cheaper by local changes.
#pragma once

#include "core/extract/internal/deadline.h"
#include "core/extract/parent_index.h"
#include "core/extract/problem.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mitos::extract {

/// For a needed class, removes everything that only it needs, and replaces it by the cheapest term over what stays,
/// which is free then. This corrects greedy extraction, which cannot know which classes are needed anyway.
class LocalSearch {
public:
    /// The choice must be complete and acyclic. Problem and parents must outlive this object.
    LocalSearch(const Problem& problem, const ParentIndex& parents, Choice choice);

    /// Improves single classes until none can be improved.
    void descend(const Deadline& deadline);

    /// First improves single classes until none can be improved; then forces each other node of each class, and keeps
    /// it if the resulting changes around it pay for it. Ends when neither improves the choice, or at the deadline.
    void run(const Deadline& deadline);

    /// The current choice, complete for the classes that the roots need.
    [[nodiscard]] const Choice& choice() const { return m_choice; }

private:
    /// The entries overwritten by a change: each class with its previous node.
    using Trail = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

    [[nodiscard]] bool isNeeded(std::uint32_t eclass) const { return m_uses[eclass] > 0; }
    void use(std::uint32_t node);      ///< counts the node as that of a needed class
    void release(std::uint32_t node);  ///< reverses `use`
    void improve(const std::vector<std::uint32_t>& open, const Deadline& deadline);
    bool improveClass(std::uint32_t eclass);
    bool forceNodes(const Deadline& deadline);
    bool tryForcing(std::uint32_t eclass, std::uint32_t node, const Deadline& deadline);
    /// Finds the cheapest term for `eclass`, by one of its given nodes, over the classes needed anyway; false if it
    /// costs `limit` or more.
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
    std::vector<std::uint32_t> m_uses;  ///< by class: number of chosen nodes of needed classes, and roots, that need it
    double m_cost = 0.0;
    std::size_t m_reach = 0;        ///< number of classes that the search for a term visits
    std::uint32_t m_locked = None;  ///< a class that keeps its forced node

    // Marks of the search for one term; an entry is set if it holds the number of that search.
    std::uint32_t m_search = 0;
    std::vector<std::uint32_t> m_above;    ///< by class: cannot be used below the searched class
    std::vector<std::uint32_t> m_seen;     ///< by class
    std::vector<std::uint32_t> m_settled;  ///< by class
    std::vector<std::uint32_t> m_inside;   ///< by node
    std::vector<std::uint32_t> m_missing;  ///< by node: number of children that are not settled
    std::vector<double> m_total;           ///< by node
    std::vector<std::uint32_t> m_term;     ///< by class: the node found
    std::vector<std::uint32_t> m_leaves;   ///< nodes that need no further classes
    std::vector<std::uint32_t> m_stack;
};

}  // namespace mitos::extract
