// SPDX-License-Identifier: GPL-3.0-or-later
// Reduces a problem to a smaller one with the same least cost, before a slow method runs.
#pragma once

#include "core/extract/internal/deadline.h"
#include "core/extract/problem.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace mitos::extract {

/// The result of a reduction. The `origin` of its nodes are node numbers of the original problem.
struct Reduction {
    /// A node of an original class.
    using Decision = std::pair<std::uint32_t, std::uint32_t>;

    Problem problem;
    double paid = 0.0;                   ///< part of the cost of every choice, in addition to its cost in `problem`
    std::vector<std::uint32_t> classes;  ///< by class of `problem`: its original number
    Choice fixed;                        ///< by original class: its only remaining node
    std::vector<std::vector<Decision>> merged;  ///< by node of `problem`: the nodes of other classes that it contains

    /// The choice of the original problem for a choice of `problem`: acyclic if that is, and with its cost plus `paid`
    /// or less (less if it chose something that only others would need).
    [[nodiscard]] Choice expand(const Choice& choice) const;
};

/// Removes everything that no optimal choice needs, or that can be replaced at no extra cost, and everything that every
/// choice needs:
/// - nodes without finite terms, nodes that need their own class, classes that the roots never reach;
/// - nodes that cost at least as much as another node of the class together with what that node needs in addition;
/// - nodes that cost as much as what everything that uses their class could have instead (detours.h);
/// - children that other children of the same node need anyway;
/// - classes with one node that is free: its children replace them; classes that one class uses: its nodes contain theirs;
/// - the least cost of classes that every choice needs: it is moved to `paid`, and those classes become roots.
/// In problems of more than 2,000 classes the third and the fourth are left out, and classes with several nodes stay: it would take longer
/// than it saves.
/// Roots must have finite terms. With negative costs only the first reduction is done, since a needless class may
/// reduce the cost.
[[nodiscard]] Reduction reduce(const Problem& problem, const Deadline& deadline);

}  // namespace mitos::extract
