// SPDX-License-Identifier: GPL-3.0-or-later
// A smaller problem with the same least cost, before a method that takes long.
#pragma once

#include "core/extract/deadline.h"
#include "core/extract/problem.h"

#include <vector>

namespace mitos::extract {

/// What became of a problem. Its nodes' `origin` are node numbers of the problem before.
struct Reduction {
    Problem problem;
    double paid = 0.0;                   ///< of every choice, beside its cost in `problem`
    std::vector<std::uint32_t> classes;  ///< by class of `problem`: its number before
    Choice fixed;                        ///< by class before: the only node that is left of it

    /// The choice of the problem before that a choice of `problem` stands for: acyclic if that is, and of its cost plus `paid`
    /// or less (less where it chose something that only others would need).
    [[nodiscard]] Choice expand(const Choice& choice) const;
};

/// Removes what no best choice needs, or not more than something else, and what every choice needs:
/// - nodes without finite terms, nodes that need their own class, classes that the roots never reach;
/// - nodes that cost as much as another one of the class, together with what that needs in addition;
/// - classes with one node that is free, or used by one node only: their children take their place;
/// - the least cost of classes that every choice needs: it is `paid`, and those classes are roots.
/// Roots must have finite terms. With negative costs only the first of these is done, as a needless class may pay.
[[nodiscard]] Reduction reduce(const Problem& problem, const Deadline& deadline);

}  // namespace mitos::extract
