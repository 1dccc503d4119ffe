// SPDX-License-Identifier: GPL-3.0-or-later
// Settings and the whole state of a search by random keys, as values.
#pragma once

#include "core/random_keys/beta.h"
#include "core/random_keys/decoder.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::random_keys {

/// Parameters of the genetic algorithm. Gonçalves and Resende ("Biased random-key genetic algorithms for combinatorial
/// optimization", 2011) recommend 10 to 25 % elites, 10 to 30 % mutants and an inheritance between 0.5 and 0.8.
struct Settings {
    std::uint64_t seed = 1;
    std::uint32_t population = 100;  ///< individuals of an island
    std::uint32_t elites = 20;       ///< best individuals, which survive unchanged; at least 1
    std::uint32_t mutants = 20;      ///< new individuals of each generation
    double inheritance = 0.7;        ///< probability that a child has the gene of its elite parent
    /// By gene: the same probability for that gene alone; empty: `inheritance` for all.
    std::vector<double> inheritanceOfGene = {};
    std::uint32_t islands = 1;  ///< populations that evolve side by side
    std::uint32_t exchangeEvery =
        25;  ///< generations after which each island gets copies of the best individuals of its predecessor in a ring; 0: never
    std::uint32_t exchanged = 2;  ///< number of those
    /// After so many generations without an improvement the islands are shaken: each gene of an elite, except of the best one, is drawn again with
    /// probability `shakeIntensity`, and all others become mutants; 0: never.
    std::uint32_t shakeAfter = 0;
    double shakeIntensity = 0.2;
    /// After each so many generations the children are the points of a path (implicit path relinking, see run()), unless all individuals become
    /// mutants then; 0: never.
    std::uint32_t relinkEvery = 0;
    std::uint32_t resetAfter = 0;  ///< likewise, all individuals become mutants; 0: never
    std::uint32_t batch =
        0;  ///< most candidates of a call of the decoder, between which limits are looked at; 0: no limit
    MutantDistributions mutantKeys = {};

    friend bool operator==(const Settings&, const Settings&) = default;
};

/// The individuals of an island: the first `elites` ones of the last generation in order, then children, then mutants. The keys of all are
/// in one row; fitness and hashes are known for the first `evaluated` ones.
struct Island {
    std::vector<float> keys;
    std::vector<Fitness> fitness;
    std::vector<std::uint64_t> hashes;
    std::uint32_t evaluated = 0;

    friend bool operator==(const Island&, const Island&) = default;
};

/// The state of a search. A search that is continued from a copy of it finds exactly what it would have found without a pause, even
/// if it ended within a generation. All random numbers are functions of (seed, island, generation, individual, gene).
struct State {
    Settings settings;
    std::size_t genes = 0;
    std::uint32_t generation = 0;  ///< the first one, of mutants and given individuals, is 0
    std::uint64_t evaluations = 0;
    std::uint32_t idle = 0;   ///< completed generations since the best individual was found
    bool isComplete = false;  ///< the generation has been counted, and the islands have exchanged individuals
    bool isImproved = false;  ///< the generation has a new best individual
    std::vector<Island> islands;
    std::vector<float> best;  ///< keys of the best individual ever evaluated; empty before the first evaluation
    Fitness bestFitness = {};
    std::uint64_t bestHash = 0;

    friend bool operator==(const State&, const State&) = default;
};

/// The state before the first evaluation. The given chromosomes (encoded solutions of heuristics) are the first individuals of the islands
/// in turn. Fails if there are no genes, for settings out of their ranges, more chromosomes than individuals, and chromosomes of another
/// length or with keys outside [0, 1].
[[nodiscard]] Result<State> start(Settings settings, std::size_t genes, std::span<const std::vector<float>> given = {});

/// A state as one JSON object, a checkpoint. Its version is 1 unless settings are in use that version 1 did not have.
[[nodiscard]] std::string toJson(const State& state);
/// Reads what toJson wrote, in any version. Fails for other text, and if the parts do not fit together.
[[nodiscard]] Result<State> readState(std::string_view json);

}  // namespace mitos::random_keys
