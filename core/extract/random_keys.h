// SPDX-License-Identifier: GPL-3.0-or-later
// A biased random-key genetic algorithm (Gonçalves and Resende, 2011) for choices.
#pragma once

#include "core/extract/deadline.h"
#include "core/extract/problem.h"

#include <cstdint>
#include <vector>

namespace mitos::extract {

struct RandomKeysOptions {
    std::uint64_t seed = 1;
    std::uint32_t generations = 0;  ///< 0: until the deadline, or until nothing has been found for long
};

struct RandomKeysAnswer {
    Choice choice;
    std::uint32_t generations = 0;
};

/// Each node has a key; a choice is decoded as the least trees under the costs times the keys, so every vector of keys gives an
/// acyclic choice, and every acyclic choice has keys that give it (0 for its nodes). What the best of a
/// generation has in common is inherited with a bias; a new best one is improved by local search. `starts`, complete
/// choices, are among the first. The same for a seed and a number of generations.
[[nodiscard]] RandomKeysAnswer searchByRandomKeys(const Problem& problem, const std::vector<Choice>& starts,
                                                  const RandomKeysOptions& options, const Deadline& deadline);

}  // namespace mitos::extract
