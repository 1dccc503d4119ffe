// SPDX-License-Identifier: GPL-3.0-or-later
// A network that fits hash-consing: the embedding of a term is computed from those of its children, once for each distinct term. A program that a
// rewrite makes has new terms only from the changed place to the root, so that its value costs only these.
#pragma once

#include "search/learned/value_network.h"

#include <memory>

namespace mitos::search::learned {

/// With k the kind of a term, f its features (term_features.h) and c its children:
///   x = relu(E[k] + F f + Σ A[place of c] h(c))
///   h = g ∘ tanh(C x) + (1 − g) ∘ mean of h(c),   g = σ(G x)
/// The read-out sums σ(P h + p[n]) ∘ tanh(Q h + q[n]) over the distinct values of a program (ir::ProgramGraph::values), n being how often
/// a value occurs (1, 2, 3, 4 or more): so common subexpressions are seen without edges between them. Hidden layers with tanh take this sum and the
/// root's embedding. Computed by Eigen; `rounds` of the shape has no meaning.
[[nodiscard]] std::unique_ptr<ValueNetwork> makeTermNetwork(const ValueNetworkShape& shape);

}  // namespace mitos::search::learned
