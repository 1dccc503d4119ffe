// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/source_text.h"
#include "core/random_keys/state.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace mitos::random_keys {

namespace {

using Json = nlohmann::json;

constexpr std::string_view Format = "mitos-random-keys";
/// Version 2 has settings that version 1 does not know. It is written only where they are in use.
constexpr int FirstVersion = 1;
constexpr int Version = 2;
constexpr std::size_t DeepestNesting = 8;

// JSON has no infinite numbers; null stands for one.
Json partToJson(double part) { return std::isfinite(part) ? Json(part) : Json(); }
double partOf(const Json& json) {
    return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

Json toJsonValue(const Fitness& fitness) { return {partToJson(fitness.primary), partToJson(fitness.secondary)}; }
Fitness fitnessOf(const Json& json) { return {partOf(json.at(0)), partOf(json.at(1))}; }

int versionOf(const Settings& settings) {
    return settings.inheritanceOfGene.empty() && settings.relinkEvery == 0 ? FirstVersion : Version;
}

Json toJsonValue(const Settings& settings) {
    Json choices = Json::array();
    for (const Beta& choice : settings.mutantKeys.choices) choices.push_back({choice.alpha, choice.beta});
    Json json = {{"seed", settings.seed},
                 {"population", settings.population},
                 {"elites", settings.elites},
                 {"mutants", settings.mutants},
                 {"inheritance", settings.inheritance},
                 {"islands", settings.islands},
                 {"exchange_every", settings.exchangeEvery},
                 {"exchanged", settings.exchanged},
                 {"shake_after", settings.shakeAfter},
                 {"shake_intensity", settings.shakeIntensity},
                 {"reset_after", settings.resetAfter},
                 {"batch", settings.batch},
                 {"distributions", std::move(choices)},
                 {"distribution_of_gene", settings.mutantKeys.ofGene}};
    if (versionOf(settings) == Version) {
        json["inheritance_of_gene"] = settings.inheritanceOfGene;
        json["relink_every"] = settings.relinkEvery;
    }
    return json;
}

/// Reads a member. Numbers that do not count anything are not converted, as the library would do.
template <typename T>
void readMember(const Json& object, const char* name, T& value) {
    const Json& member = object.at(name);
    if constexpr (std::unsigned_integral<T> && !std::same_as<T, bool>) {
        if (!member.is_number_unsigned() || member.get<std::uint64_t>() > std::numeric_limits<T>::max()) {
            throw std::out_of_range(std::string(name) + " is not a number of its range");
        }
    }
    member.get_to(value);
}

Settings settingsOf(const Json& json, int version) {
    Settings settings;
    readMember(json, "seed", settings.seed);
    readMember(json, "population", settings.population);
    readMember(json, "elites", settings.elites);
    readMember(json, "mutants", settings.mutants);
    readMember(json, "inheritance", settings.inheritance);
    readMember(json, "islands", settings.islands);
    readMember(json, "exchange_every", settings.exchangeEvery);
    readMember(json, "exchanged", settings.exchanged);
    readMember(json, "shake_after", settings.shakeAfter);
    readMember(json, "shake_intensity", settings.shakeIntensity);
    readMember(json, "reset_after", settings.resetAfter);
    readMember(json, "batch", settings.batch);
    for (const Json& choice : json.at("distributions")) {
        settings.mutantKeys.choices.push_back({choice.at(0).get<double>(), choice.at(1).get<double>()});
    }
    readMember(json, "distribution_of_gene", settings.mutantKeys.ofGene);
    if (version == Version) {
        readMember(json, "inheritance_of_gene", settings.inheritanceOfGene);
        readMember(json, "relink_every", settings.relinkEvery);
    }
    return settings;
}

Json toJsonValue(const Island& island) {
    Json fitness = Json::array();
    for (const Fitness& one : island.fitness) fitness.push_back(toJsonValue(one));
    return {{"keys", island.keys},
            {"fitness", std::move(fitness)},
            {"hashes", island.hashes},
            {"evaluated", island.evaluated}};
}

Island islandOf(const Json& json) {
    Island island;
    readMember(json, "keys", island.keys);
    for (const Json& one : json.at("fitness")) island.fitness.push_back(fitnessOf(one));
    readMember(json, "hashes", island.hashes);
    readMember(json, "evaluated", island.evaluated);
    return island;
}

bool areKeys(const std::vector<float>& keys) {
    return std::ranges::all_of(keys, [](float key) { return key >= 0.0F && key <= 1.0F; });
}

Error notAState(std::string_view reason) {
    return {ErrorCode::Parse, "the text is not a checkpoint of a search by random keys: " + std::string(reason),
            std::nullopt, "use the file that an earlier run of this program wrote"};
}

/// All parts have the sizes that the settings give, before memory is taken for them; then the checks of start().
Status check(const State& state) {
    const std::size_t population = state.settings.population;
    if (state.islands.size() != state.settings.islands) return notAState("the number of islands is another one");
    for (const Island& island : state.islands) {
        const bool hasSize = island.fitness.size() == population && island.hashes.size() == population &&
                             island.keys.size() / std::max<std::size_t>(population, 1) == state.genes &&
                             island.keys.size() == population * state.genes && island.evaluated <= population;
        if (!hasSize) return notAState("an island does not have the size of a population");
        if (!areKeys(island.keys)) return notAState("a key is not between 0 and 1");
    }
    if (state.best.size() != (state.evaluations != 0 ? state.genes : 0) || !areKeys(state.best)) {
        return notAState("the best individual does not have a key for each gene");
    }
    if (auto fresh = start(state.settings, state.genes); !fresh) return std::move(fresh).error();
    return Success{};
}

}  // namespace

std::string toJson(const State& state) {
    Json islands = Json::array();
    for (const Island& island : state.islands) islands.push_back(toJsonValue(island));
    const Json json = {{"format", Format},
                       {"version", versionOf(state.settings)},
                       {"settings", toJsonValue(state.settings)},
                       {"genes", state.genes},
                       {"generation", state.generation},
                       {"evaluations", state.evaluations},
                       {"idle", state.idle},
                       {"complete", state.isComplete},
                       {"improved", state.isImproved},
                       {"islands", std::move(islands)},
                       {"best", state.best},
                       {"best_fitness", toJsonValue(state.bestFitness)},
                       {"best_hash", state.bestHash}};
    return json.dump();
}

Result<State> readState(std::string_view text) {
    if (jsonNesting(text) > DeepestNesting) return notAState("it is nested too deeply");
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return notAState("it is not a JSON object");
    State state;
    try {
        if (json.at("format") != Format) return notAState("its format is another one");
        const Json& version = json.at("version");
        if (version != FirstVersion && version != Version) {
            return Error{ErrorCode::Incompatible, "the checkpoint was written by another version", std::nullopt,
                         "start the search again"};
        }
        state.settings = settingsOf(json.at("settings"), version.get<int>());
        readMember(json, "genes", state.genes);
        readMember(json, "generation", state.generation);
        readMember(json, "evaluations", state.evaluations);
        readMember(json, "idle", state.idle);
        readMember(json, "complete", state.isComplete);
        readMember(json, "improved", state.isImproved);
        for (const Json& island : json.at("islands")) state.islands.push_back(islandOf(island));
        readMember(json, "best", state.best);
        state.bestFitness = fitnessOf(json.at("best_fitness"));
        readMember(json, "best_hash", state.bestHash);
    } catch (const std::exception& problem) {
        return notAState(problem.what());
    }
    MITOS_REQUIRE(check(state));
    return state;
}

}  // namespace mitos::random_keys
