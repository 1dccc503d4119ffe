// SPDX-License-Identifier: GPL-3.0-or-later
// The genetic algorithm as a strategy: its parameters, its starts from heuristics, and its mutants if a policy chooses them.
#pragma once

#include "search/placement/brkga.h"
#include "search/placement/strategies.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::search::placement {

/// Defaults of the parameters that tuning changes.
struct GeneticDefaults {
    std::int64_t population = 100;
    std::int64_t elites = 20;
    std::int64_t mutants = 20;
    double inheritance = 0.7;
};
/// The best of a grid on training graphs (resources/decisions.md, "Parameters of brkga-tuned").
inline constexpr GeneticDefaults TunedGenetic{.population = 100, .elites = 30, .mutants = 5, .inheritance = 0.7};

[[nodiscard]] std::vector<ParameterInfo> geneticParameters(const GeneticDefaults& defaults = {});

/// The word that the parameter "decode" has for a meaning: "finish", "paper".
[[nodiscard]] const char* nameOf(Decode decode);
/// The meaning of keys that resolved parameters ask for.
[[nodiscard]] Decode decodeIn(const ParameterValues& values, Objective objective);

/// Schedules of simple methods, which the search begins with, and a bound on the objective if one of them has it.
struct GeneticStarts {
    std::vector<schedule::Schedule> schedules = {};
    std::optional<double> bound = {};
};
/// None if the parameters ask for none.
[[nodiscard]] GeneticStarts geneticStarts(const schedule::Problem& problem, const Request& request);

/// Runs the search with resolved parameters: with these starts, and with mutants by these distributions (random_keys::Settings::mutantKeys). Fails
/// as searchByRandomKeys() does, and if a team has more processes than there are islands.
[[nodiscard]] Result<Placement> runGeneticWith(const schedule::Problem& problem, const Request& request,
                                               GeneticStarts starts, random_keys::MutantDistributions mutants = {});
/// The same with the starts of the parameters and uniform mutants.
[[nodiscard]] Result<Placement> runGenetic(const schedule::Problem& problem, const Request& request);

}  // namespace mitos::search::placement
