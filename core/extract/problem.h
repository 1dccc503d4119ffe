// SPDX-License-Identifier: GPL-3.0-or-later
// Extraction: choose a node for every class that is needed, so that the roots become terms of least cost.
#pragma once

#include "core/egraph/snapshot.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mitos::extract {

inline constexpr std::uint32_t None = 0xFFFFFFFFU;

/// An e-graph as the extraction methods see it: flat, nodes grouped by class. The cost of a choice is the sum of the
/// costs of the chosen nodes reachable from the roots, each counted once (sharing; several roots count together).
struct Problem {
    std::vector<std::uint32_t> classBegin;  ///< nodes of class c: classBegin[c] … classBegin[c + 1] - 1
    std::vector<double> cost;               ///< by node
    std::vector<std::uint32_t> childBegin;  ///< children of node n: childBegin[n] … childBegin[n + 1] - 1
    std::vector<std::uint32_t> children;    ///< classes
    std::vector<std::uint32_t> roots;       ///< classes
    std::vector<std::uint32_t> origin;      ///< by node: its number where the problem was taken from

    [[nodiscard]] std::uint32_t classCount() const { return static_cast<std::uint32_t>(classBegin.size()) - 1; }
    [[nodiscard]] std::uint32_t nodeCount() const { return static_cast<std::uint32_t>(cost.size()); }
    [[nodiscard]] std::span<const std::uint32_t> childrenOf(std::uint32_t node) const {
        return {children.data() + childBegin[node], childBegin[node + 1] - childBegin[node]};
    }
};

/// The same classes under the same numbers; subsumed nodes are left out, so that a class may be empty.
[[nodiscard]] Problem makeProblem(const egraph::Snapshot& snapshot);

/// Classes without any finite term, in order: each of their nodes needs, sooner or later, one of them.
[[nodiscard]] std::vector<std::uint32_t> infeasibleClasses(const Problem& problem);

/// Whether a node costs less than nothing. Then no method can promise anything about how good its answer is: each assumes
/// that a larger choice never costs less.
[[nodiscard]] bool hasNegativeCosts(const Problem& problem);

/// By class: the chosen node, None where none is needed.
using Choice = std::vector<std::uint32_t>;

/// What a method found.
struct Extraction {
    std::string method;
    Choice choice;
    double cost = 0.0;                ///< recomputed from the choice, shared nodes once
    double treeCost = 0.0;            ///< the same choice with shared nodes as often as they occur; may be infinite
    std::optional<double> predicted;  ///< paper: what Algorithm 2 believes the cost to be
    std::optional<double> bound;      ///< no choice can cost less than this
    bool proven = false;              ///< the cost is the least there is
    double seconds = 0.0;
    std::string note;  ///< for people: why a bound is missing, what was tried
};

}  // namespace mitos::extract
