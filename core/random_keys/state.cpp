// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/random_keys/state.h"

#include "core/random_keys/internal/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::random_keys {

namespace {

/// Genes and individuals are counted in 32 bits, and a population should fit into memory.
constexpr std::size_t MostGenes = 1U << 28U;
constexpr std::uint32_t MostIndividuals = 1U << 20U;
constexpr std::uint32_t MostIslands = 1U << 16U;
constexpr std::size_t MostKeys = std::size_t{1} << 32U;

Status checkSettings(const Settings& settings, std::size_t genes) {
    const auto wrong = [](std::string message) {
        return inputError(std::move(message), "change the settings of the search");
    };
    if (genes == 0 || genes > MostGenes) return wrong(fmt::format("a search over {} keys is not possible", genes));
    if (settings.islands == 0 || settings.islands > MostIslands) {
        return wrong(
            fmt::format("the number of islands must be between 1 and {}, not {}", MostIslands, settings.islands));
    }
    if (settings.population < 2 || settings.population > MostIndividuals) {
        return wrong(fmt::format("a population must have between 2 and {} individuals, not {}", MostIndividuals,
                                 settings.population));
    }
    if (genes * settings.population > MostKeys / settings.islands) {
        return wrong(fmt::format("{} populations of {} individuals with {} keys are too large", settings.islands,
                                 settings.population, genes));
    }
    if (settings.elites == 0 || settings.elites >= settings.population) {
        return wrong(
            fmt::format("there must be between 1 and {} elites, not {}", settings.population - 1, settings.elites));
    }
    if (settings.mutants > settings.population - settings.elites) {
        return wrong(fmt::format("{} elites and {} mutants are more than the population of {}", settings.elites,
                                 settings.mutants, settings.population));
    }
    if (settings.exchanged > settings.population) {
        return wrong(
            fmt::format("islands of {} individuals cannot exchange {}", settings.population, settings.exchanged));
    }
    const auto isProbability = [](double p) { return p >= 0.0 && p <= 1.0; };
    if (!isProbability(settings.inheritance) || !isProbability(settings.shakeIntensity)) {
        return wrong("the probabilities of inheritance and shaking must be between 0 and 1");
    }
    if (!settings.inheritanceOfGene.empty() && settings.inheritanceOfGene.size() != genes) {
        return wrong(fmt::format("there are {} probabilities of inheritance for {} genes",
                                 settings.inheritanceOfGene.size(), genes));
    }
    if (!std::ranges::all_of(settings.inheritanceOfGene, isProbability)) {
        return wrong("the probability of inheritance of each gene must be between 0 and 1");
    }
    return checkDistributions(settings.mutantKeys, genes);
}

}  // namespace

Result<State> start(Settings settings, std::size_t genes, std::span<const std::vector<float>> given) {
    MITOS_REQUIRE(checkSettings(settings, genes));
    if (given.size() > std::size_t{settings.population} * settings.islands) {
        return inputError(fmt::format("{} given individuals are more than the first generation holds", given.size()),
                          "give fewer, or make the population larger");
    }
    for (const std::vector<float>& keys : given) {
        const bool fits =
            keys.size() == genes && std::ranges::all_of(keys, [](float key) { return key >= 0.0F && key <= 1.0F; });
        if (!fits) {
            return inputError("a given individual does not have a key between 0 and 1 for each gene",
                              fmt::format("it must have {} keys", genes));
        }
    }
    State state;
    state.genes = genes;
    state.islands.resize(settings.islands);
    const internal::KeySource source(settings, genes);
    for (std::uint32_t i = 0; i < settings.islands; ++i) {
        Island& island = state.islands[i];
        island.keys.resize(settings.population * genes);
        island.fitness.resize(settings.population);
        island.hashes.resize(settings.population);
        source.fillWithMutants(island, {.island = i}, 0);
        std::size_t row = 0;
        for (std::size_t k = i; k < given.size(); k += settings.islands, ++row) {
            std::ranges::copy(given[k], island.keys.begin() + static_cast<std::ptrdiff_t>(row * genes));
        }
    }
    state.settings = std::move(settings);
    return state;
}

}  // namespace mitos::random_keys
