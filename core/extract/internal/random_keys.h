// SPDX-License-Identifier: GPL-3.0-or-later
// Choices by a biased random-key genetic algorithm (core/random_keys).
#pragma once

#include "core/extract/extract.h"
#include "core/extract/internal/deadline.h"

namespace mitos::extract {

/// Each node has a key; a choice is decoded as the cheapest trees under the costs times the keys, so every vector of
/// keys gives an acyclic choice, and every acyclic choice is given by some keys (0 for its nodes). A new best choice is
/// improved by local search.
/// `start`, a complete choice, is part of the first generation. Deterministic for a given seed and number of generations
/// (Options); without the latter, ends at the deadline, or when no improvement is found for long.
/// The answer has the choice, and the number of generations in its note.
[[nodiscard]] Extraction searchByRandomKeys(const Problem& problem, const Choice& start, const Options& options,
                                            const Deadline& deadline);

}  // namespace mitos::extract
