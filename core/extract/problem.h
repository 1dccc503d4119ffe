// SPDX-License-Identifier: GPL-3.0-or-later
// Extraction: choose a node for every needed class, so that the roots become terms of least cost.
#pragma once

#include "core/egraph/snapshot.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mitos::extract {

inline constexpr std::uint32_t None = 0xFFFFFFFFU;

/// An e-graph in the form used by the extraction methods: flat, with nodes grouped by class. The cost of a choice is
/// the sum of the costs of the chosen nodes reachable from the roots, each counted once (sharing; several roots count
/// together).
struct Problem {
    std::vector<std::uint32_t> classBegin;  ///< nodes of class c: classBegin[c] … classBegin[c + 1] - 1
    std::vector<double> cost;               ///< by node
    std::vector<std::uint32_t> childBegin;  ///< children of node n: childBegin[n] … childBegin[n + 1] - 1
    std::vector<std::uint32_t> children;    ///< classes
    std::vector<std::uint32_t> roots;       ///< classes
    std::vector<std::uint32_t> origin;      ///< by node: its number in the source of the problem

    [[nodiscard]] std::uint32_t classCount() const { return static_cast<std::uint32_t>(classBegin.size()) - 1; }
    [[nodiscard]] std::uint32_t nodeCount() const { return static_cast<std::uint32_t>(cost.size()); }
    [[nodiscard]] std::span<const std::uint32_t> childrenOf(std::uint32_t node) const {
        return {children.data() + childBegin[node], childBegin[node + 1] - childBegin[node]};
    }
};

/// The same classes with the same numbers; subsumed nodes are left out, so a class may be empty.
[[nodiscard]] Problem makeProblem(const egraph::Snapshot& snapshot);

/// The parent nodes of each class and the class of each node, for upward traversal.
class ParentIndex {
public:
    explicit ParentIndex(const Problem& problem);

    /// Nodes with the class among their children, repeated for each occurrence.
    [[nodiscard]] std::span<const std::uint32_t> parentsOf(std::uint32_t eclass) const {
        return {m_parents.data() + m_begin[eclass], m_begin[eclass + 1] - m_begin[eclass]};
    }
    [[nodiscard]] std::uint32_t classOf(std::uint32_t node) const { return m_class[node]; }

private:
    std::vector<std::uint32_t> m_begin;
    std::vector<std::uint32_t> m_parents;
    std::vector<std::uint32_t> m_class;
};

/// The costs of the nodes, with 0 in place of negative ones.
[[nodiscard]] std::vector<double> nonNegativeCosts(const Problem& problem);

/// By class: whether it has a finite term.
[[nodiscard]] std::vector<bool> haveTerms(const Problem& problem, const ParentIndex& parents);

/// Classes without any finite term, in ascending order: each of their nodes depends, directly or not, on one of them.
[[nodiscard]] std::vector<std::uint32_t> infeasibleClasses(const Problem& problem);

/// Whether a node has a negative cost. Then no method can guarantee the quality of its answer: each assumes that a
/// larger choice never costs less.
[[nodiscard]] bool hasNegativeCosts(const Problem& problem);

/// By class: the chosen node; None if no node is needed.
using Choice = std::vector<std::uint32_t>;

/// The answer of a method.
struct Extraction {
    std::string method;
    Choice choice;
    double cost = 0.0;                ///< recomputed from the choice, shared nodes once
    double treeCost = 0.0;            ///< the same with shared nodes counted at each use; may be infinite
    std::optional<double> predicted;  ///< paper: the cost predicted by Algorithm 2
    std::optional<double> bound;      ///< lower bound on the cost of every choice
    bool proven = false;              ///< the cost is optimal
    double seconds = 0.0;
    std::string note;  ///< text for users: why a bound is missing, what was tried
};

}  // namespace mitos::extract
