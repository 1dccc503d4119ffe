// SPDX-License-Identifier: GPL-3.0-or-later
// The problem as the genetic algorithm sees it: a function from keys to fitness.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>

namespace mitos::random_keys {

/// The fitness of a decoded solution: the less, the better, by `primary` and then by `secondary`. A constraint is best a primary
/// part that is 0 if it holds; an objective alone leaves the secondary part 0. Not a number counts as infinite.
struct Fitness {
    double primary = std::numeric_limits<double>::infinity();
    double secondary = std::numeric_limits<double>::infinity();

    friend auto operator<=>(const Fitness&, const Fitness&) = default;
};

/// A chromosome to be decoded.
struct Candidate {
    std::span<float>
        keys;  ///< in [0, 1]; the decoder may replace them by keys of a better solution that it found from there
    Fitness fitness = {};  ///< set by the decoder
    /// Set by the decoder to a hash of the solution, if equal solutions are to be recognized; 0: not known.
    std::uint64_t hash = 0;
};

/// decode(batch) sets the fitness of every candidate. A batch is at most one generation of one island, in its order. A decoder without state, for
/// which a candidate's answer depends on its keys alone, may decode it in any order, on several threads or elsewhere
/// (ParallelDecoder), and the search is the same.
template <typename T>
concept Decoder = requires(T& decoder, std::span<Candidate> batch) {
    { decoder.decode(batch) } -> std::same_as<void>;
};

}  // namespace mitos::random_keys
