// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes that are not worth their cost, since everything that uses their class can do without it.
#pragma once

#include "core/extract/internal/components.h"
#include "core/extract/internal/deadline.h"
#include "core/extract/internal/requirements.h"
#include "core/extract/problem.h"

#include <vector>

namespace mitos::extract {

/// Knowledge about a problem that its reductions share.
struct Knowledge {
    const Requirements& requirements;
    const Components& components;      ///< of the classes
    const std::vector<double>& trees;  ///< by class: the cost of its cheapest tree
};

/// By node: whether it can be removed, since some cheapest choice does not contain it. Nodes over classes that lose all nodes are removed,
/// too.
///
/// A node m of a class d that is not a root has a detour if each class with nodes over d has another node in place of each of them, and if
/// all of these replacements together cost no more than m: their own costs, and a term for each class that they need in addition. What m
/// and the replaced node require is there anyway. Such a class may be one that takes the place of d for all of them. Costs must not be
/// negative, nodes must have finite terms, and none may require its own class. In problems with more than Requirements::MostClasses
/// nothing is removed, and after the deadline nothing more.
[[nodiscard]] std::vector<bool> nodesWithDetour(const Problem& problem, const Knowledge& known,
                                                const Deadline& deadline);

}  // namespace mitos::extract
