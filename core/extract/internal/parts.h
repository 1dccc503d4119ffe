// SPDX-License-Identifier: GPL-3.0-or-later
// Smaller problems made from a problem.
#pragma once

#include "core/extract/problem.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <vector>

namespace mitos::extract {

/// The same classes with the nodes that are to be kept. The `origin` of a node is its number in the problem before.
[[nodiscard]] Problem keepNodes(const Problem& problem, absl::FunctionRef<bool(std::uint32_t node)> isKept);

/// A part of a problem. The `origin` of its nodes are their numbers in the whole problem.
struct Part {
    Problem problem;
    std::vector<std::uint32_t> classes;  ///< by class of the part: its number in the whole problem
};

/// The parts that share no class. The cheapest choice of the whole consists of the cheapest choices of its parts. Classes without nodes
/// are left out.
[[nodiscard]] std::vector<Part> independentParts(const Problem& problem);

/// Writes the choice of a part into that of the whole problem.
void insertPart(const Part& part, const Choice& choice, Choice& whole);
/// The choice of the part that the choice of the whole problem contains.
[[nodiscard]] Choice restrictTo(const Part& part, const Problem& whole, const Choice& choice);

}  // namespace mitos::extract
