// SPDX-License-Identifier: GPL-3.0-or-later
// A biased random-key genetic algorithm (Gonçalves and Resende, 2011) for choices.
#pragma once

#include "core/extract/internal/deadline.h"
#include "core/extract/problem.h"

#include <cstdint>
#include <vector>

namespace mitos::extract {

struct RandomKeysOptions {
    std::uint64_t seed = 1;
    std::uint32_t generations = 0;  ///< 0: until the deadline, or until no improvement is found for long
};

struct RandomKeysAnswer {
    Choice choice;
    std::uint32_t generations = 0;
};

/// Each node has a key; a choice is decoded as the cheapest trees under the costs times the keys, so every vector of
/// keys gives an acyclic choice, and every acyclic choice is given by some keys (0 for its nodes). A child inherits
/// keys from an elite parent and another one, with a bias to the elite; a new best choice is improved by local search.
/// `starts`, complete choices, are part of the first generation. Deterministic for a given seed and number of
/// generations.
[[nodiscard]] RandomKeysAnswer searchByRandomKeys(const Problem& problem, const std::vector<Choice>& starts,
                                                  const RandomKeysOptions& options, const Deadline& deadline);

}  // namespace mitos::extract
