// SPDX-License-Identifier: GPL-3.0-or-later
// Biased random-key genetic algorithm (Gonçalves and Resende, 2011): the one engine for all decoders.
#pragma once

#include "core/random_keys/state.h"
#include "core/random_keys/team.h"

#include <absl/functional/function_ref.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

namespace mitos::random_keys {

/// When a search ends; 0 means no limit. Evaluations are exact.
struct Limits {
    std::uint64_t evaluations = 0;
    std::uint32_t generations = 0;      ///< after the first one
    std::uint32_t idleGenerations = 0;  ///< without an improvement
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    std::stop_token stop = {};
};

enum class StopReason { Evaluations, Generations, Idle, Deadline, Stopped };

/// A completed generation before its islands exchange individuals, for observers.
struct GenerationReport {
    std::uint32_t generation = 0;
    std::uint64_t evaluations = 0;
    Fitness best = {};  ///< of the whole search
    Fitness generationBest = {};
    Fitness mean = {};                     ///< of each part over the individuals where it is finite
    std::span<const float> bestKeys = {};  ///< of the best individual ever; valid during the call
    double diversity = 0.0;  ///< mean standard deviation of a gene within an island, where uniform keys have 1
};

/// Called after each generation; the search ends (Stopped) if it returns false.
using Observer = std::function<bool(const GenerationReport&)>;

/// Saves a state while its search runs.
class Keeper {
public:
    Keeper() = default;
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;
    virtual ~Keeper() = default;

    /// Asked after each generation.
    [[nodiscard]] virtual bool isDue() = 0;
    /// A failure does not end the search.
    virtual void keep(const State& state) = 0;
};

/// The surroundings of a search.
struct Support {
    Team* team = nullptr;      ///< processes that share the islands; null: this one has all of them
    Keeper* keeper = nullptr;  ///< null: the state is not saved. In a team only that of the first rank is asked
};

namespace internal {

using DecodeBatch = absl::FunctionRef<void(std::span<Candidate>)>;

Result<StopReason> run(State& state, DecodeBatch decode, const Limits& limits, const Observer& observer,
                       const Support& support);

}  // namespace internal

/// Evolves the state until a limit is reached, and returns which. In each generation the elites survive, children inherit each gene
/// from an elite with probability `inheritance` (or that of the gene) and else from one of the other individuals, and mutants are drawn from their distributions.
/// Individuals with the hash of a better one never become elites while there are others. Some limit should be set.
///
/// With `relinkEvery`, the children of some generations are the points of a path (direct implicit path relinking: Andrade, Toso, Gonçalves and Resende,
/// "The multi-parent biased random-key genetic algorithm with implicit path-relinking and its real-world applications", 2021):
/// the genes in which the best individual of an island and a guide differ are divided into as many blocks as there are children, plus
/// one, and each child takes one more block from the guide. The guide is the best individual of the next island in the ring, or another
/// elite where there is none that differs. The paper evaluates all blocks that are left before each step and takes the best one; here the order of
/// the blocks is drawn, since then a path is one batch for the decoder and takes no more evaluations than other generations.
template <Decoder D>
StopReason run(State& state, D& decoder, const Limits& limits, const Observer& observer = {}) {
    // Without a team it does not fail.
    return *internal::run(state, [&decoder](std::span<Candidate> batch) { decoder.decode(batch); }, limits, observer,
                          {});
}

/// The same with a team or a keeper. In a team, rank r breeds and decodes the islands i with i % size == r; ranks without an island only take
/// part. All ranks begin with the same state and the same limits of evaluations and generations, and end with the same state and reason: those
/// of a search alone, if the decoder has no state. Stop token, deadline and observer of any rank count, and the first two of them are
/// looked at between generations only. Fails if the team does, or if its ranks do not have the same search; the state is then
/// not usable.
template <Decoder D>
Result<StopReason> runWith(State& state, D& decoder, const Limits& limits, const Observer& observer,
                           const Support& support) {
    return internal::run(
        state, [&decoder](std::span<Candidate> batch) { decoder.decode(batch); }, limits, observer, support);
}

}  // namespace mitos::random_keys
