// SPDX-License-Identifier: GPL-3.0-or-later
// See knossos_record.h.
#include "search/experiments/knossos_record.h"

#include "search/experiments/record_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace mitos::search::experiments {

namespace {

using KnossosJson = nlohmann::ordered_json;

KnossosJson searchJson(const KnossosSearch& search) {
    KnossosJson json{{"program", search.program}, {"initial_cost", search.initialCost},
                     {"cost", search.cost},       {"evaluations", search.evaluations},
                     {"seconds", search.seconds}, {"good", search.isGood}};
    if (search.way.empty()) return json;
    json["way"] = KnossosJson::array();
    for (const KnossosImprovement& one : search.way) json["way"].push_back({one.evaluations, one.seconds, one.cost});
    return json;
}

KnossosSearch searchFrom(const KnossosJson& json) {
    KnossosSearch search{.program = json.at("program").get<std::string>(),
                         .initialCost = json.at("initial_cost").get<double>(),
                         .cost = json.at("cost").get<double>(),
                         .evaluations = json.at("evaluations").get<std::uint64_t>(),
                         .seconds = json.at("seconds").get<double>(),
                         .isGood = json.at("good").get<bool>()};
    if (!json.contains("way")) return search;
    for (const KnossosJson& one : json.at("way"))
        search.way.push_back({one.at(0).get<std::uint64_t>(), one.at(1).get<double>(), one.at(2).get<double>()});
    return search;
}

KnossosJson stageJson(const KnossosStage& stage) {
    KnossosJson evaluations = KnossosJson::array();
    for (const KnossosEvaluation& evaluation : stage.evaluations) {
        KnossosJson searches = KnossosJson::array();
        for (const KnossosSearch& search : evaluation.searches) searches.push_back(searchJson(search));
        evaluations.push_back(
            {{"strategy", evaluation.strategy}, {"budget", evaluation.budget}, {"searches", std::move(searches)}});
    }
    return {{"epochs", stage.epochs},
            {"training_seconds", stage.trainingSeconds},
            {"loss", stage.loss},
            {"evaluations", std::move(evaluations)}};
}

KnossosStage stageFrom(const KnossosJson& json) {
    KnossosStage stage{.epochs = json.at("epochs").get<std::uint32_t>(),
                       .trainingSeconds = json.at("training_seconds").get<double>(),
                       .loss = json.at("loss").get<double>()};
    for (const KnossosJson& one : json.at("evaluations")) {
        KnossosEvaluation evaluation{.strategy = one.at("strategy").get<std::string>(),
                                     .budget = one.at("budget").get<std::uint64_t>()};
        for (const KnossosJson& search : one.at("searches")) evaluation.searches.push_back(searchFrom(search));
        stage.evaluations.push_back(std::move(evaluation));
    }
    return stage;
}

constexpr double KnossosRounding = 1e-9;

/// The least number at which the total of the last costs up to it is not above the target. `placeOf` is the number of an improvement.
template <typename PlaceOf>
std::optional<double> leastPlace(double target, const KnossosEvaluation& evaluation, PlaceOf placeOf) {
    std::set<double> places;
    for (const KnossosSearch& search : evaluation.searches) {
        for (const KnossosImprovement& one : search.way) places.insert(placeOf(one));
    }
    const auto totalAt = [&](double place) {
        double total = 0.0;
        for (const KnossosSearch& search : evaluation.searches) {
            double cost = search.initialCost;
            for (const KnossosImprovement& one : search.way) {
                if (placeOf(one) <= place) cost = std::min(cost, one.cost);
            }
            total += cost;
        }
        return total;
    };
    // Totals fall.
    const auto found =
        std::ranges::find_if(places, [&](double place) { return totalAt(place) <= target + KnossosRounding; });
    return found == places.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

double KnossosEvaluation::total() const {
    double total = 0.0;
    for (const KnossosSearch& search : searches) total += search.cost;
    return total;
}

double KnossosEvaluation::seconds() const {
    double seconds = 0.0;
    for (const KnossosSearch& search : searches) seconds += search.seconds;
    return seconds;
}

const KnossosEvaluation* KnossosStage::find(std::string_view strategy, std::uint64_t budget) const {
    const auto found = std::ranges::find_if(
        evaluations, [&](const KnossosEvaluation& one) { return one.strategy == strategy && one.budget == budget; });
    return found == evaluations.end() ? nullptr : &*found;
}

std::string writeKnossosRecord(const KnossosRecord& record) {
    KnossosJson stages = KnossosJson::array();
    for (const KnossosStage& stage : record.stages) stages.push_back(stageJson(stage));
    const KnossosJson json{
        {"run", record.run}, {"states_per_second", record.statesPerSecond}, {"stages", std::move(stages)}};
    return json.dump(-1, ' ', false, KnossosJson::error_handler_t::replace);
}

Result<KnossosRecord> readKnossosRecord(const std::string& text) {
    try {
        const auto json = KnossosJson::parse(text);
        KnossosRecord record{.run = json.at("run").get<std::string>()};
        record.statesPerSecond = json.at("states_per_second").get<double>();
        for (const KnossosJson& stage : json.at("stages")) record.stages.push_back(stageFrom(stage));
        return record;
    } catch (const KnossosJson::exception& error) {
        return noRecord(error.what());
    }
}

std::optional<KnossosEffort> effortTo(double target, const KnossosEvaluation& evaluation) {
    const auto evaluations = leastPlace(
        target, evaluation, [](const KnossosImprovement& one) { return static_cast<double>(one.evaluations); });
    const auto seconds = leastPlace(target, evaluation, [](const KnossosImprovement& one) { return one.seconds; });
    if (!evaluations || !seconds) return std::nullopt;
    return KnossosEffort{.evaluations = *evaluations, .seconds = *seconds};
}

}  // namespace mitos::search::experiments
