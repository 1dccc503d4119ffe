// SPDX-License-Identifier: GPL-3.0-or-later
// See record.h.
#include "search/experiments/record.h"

#include "search/experiments/record_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace mitos::search::experiments {

namespace {

using Json = nlohmann::ordered_json;

double savedPercent(double before, double after) {
    constexpr double Percent = 100.0;
    return before > 0.0 ? Percent * (before - after) / before : 0.0;
}

Json optionalJson(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

std::optional<double> optionalFrom(const Json& json) {
    return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Json iterationJson(const RecordedIteration& iteration) {
    Json json{{"nodes", iteration.nodes}, {"classes", iteration.classes}, {"cost", optionalJson(iteration.cost)}};
    json["rules"] = Json::array();
    for (const RecordedRule& rule : iteration.rules) {
        json["rules"].push_back({{"rule", rule.rule},
                                 {"matches", rule.matches},
                                 {"applied", rule.applied},
                                 {"nodes", rule.nodes},
                                 {"refused", rule.refused}});
    }
    return json;
}

RecordedIteration iterationFrom(const Json& json) {
    RecordedIteration iteration{.rules = {},
                                .nodes = json.at("nodes").get<std::uint64_t>(),
                                .classes = json.at("classes").get<std::uint64_t>(),
                                .cost = optionalFrom(json.at("cost"))};
    for (const Json& rule : json.at("rules")) {
        iteration.rules.push_back({rule.at("rule").get<std::string>(), rule.at("matches").get<std::uint64_t>(),
                                   rule.at("applied").get<std::uint64_t>(), rule.at("nodes").get<std::uint64_t>(),
                                   rule.at("refused").get<std::uint64_t>()});
    }
    return iteration;
}

RunRecord recordFrom(const Json& json) {
    RunRecord record;
    record.program = json.at("program").get<std::string>();
    record.approach = json.at("approach").get<std::string>();
    record.budget = json.at("search_budget").get<std::uint32_t>();
    record.seed = json.at("seed").get<std::uint64_t>();
    record.multiIterations = json.at("k_multi").get<std::uint32_t>();
    record.programHash = json.at("program_hash").get<std::uint64_t>();
    record.initialCost = json.at("initial_cost").get<double>();
    record.extractedCost = json.at("extracted_cost").get<double>();
    record.bestCost = json.at("best_cost").get<double>();
    record.steps = json.at("steps").get<std::size_t>();
    record.isChecked = json.at("thread_checked").get<bool>();
    record.stop = json.at("stop").get<std::string>();
    record.isOutOfTime = json.at("out_of_time").get<bool>();
    record.seconds = json.at("seconds").get<double>();
    record.threadSeconds = json.at("thread_seconds").get<double>();
    record.startNodes = json.at("start_nodes").get<std::uint64_t>();
    record.startClasses = json.at("start_classes").get<std::uint64_t>();
    record.startCost = optionalFrom(json.at("start_cost"));
    for (const Json& note : json.at("notes")) record.notes.push_back(note.get<std::string>());
    for (const Json& iteration : json.at("iterations")) record.iterations.push_back(iterationFrom(iteration));
    return record;
}

}  // namespace

double RunRecord::gain() const { return savedPercent(initialCost, extractedCost); }
double RunRecord::resultGain() const { return savedPercent(initialCost, bestCost); }

std::uint64_t RunRecord::applicationsOf(const std::string& rule) const {
    std::uint64_t count = 0;
    for (const RecordedIteration& iteration : iterations) {
        const bool isApplied = std::ranges::any_of(
            iteration.rules, [&](const RecordedRule& one) { return one.rule == rule && one.applied > 0; });
        count += isApplied ? 1 : 0;
    }
    return count;
}

std::vector<std::string> RunRecord::rulesUsed() const {
    std::set<std::string> used;
    for (const RecordedIteration& iteration : iterations) {
        for (const RecordedRule& rule : iteration.rules) {
            if (rule.applied > 0) used.insert(rule.rule);
        }
    }
    return {used.begin(), used.end()};
}

std::string writeRecord(const RunRecord& record) {
    Json json{{"program", record.program},
              {"approach", record.approach},
              {"search_budget", record.budget},
              {"seed", record.seed},
              {"k_multi", record.multiIterations},
              {"program_hash", record.programHash},
              {"initial_cost", record.initialCost},
              {"extracted_cost", record.extractedCost},
              {"best_cost", record.bestCost},
              {"gain_percent", record.gain()},
              {"steps", record.steps},
              {"thread_checked", record.isChecked},
              {"stop", record.stop},
              {"out_of_time", record.isOutOfTime},
              {"seconds", record.seconds},
              {"thread_seconds", record.threadSeconds},
              {"start_nodes", record.startNodes},
              {"start_classes", record.startClasses},
              {"start_cost", optionalJson(record.startCost)},
              {"notes", record.notes}};
    json["iterations"] = Json::array();
    for (const RecordedIteration& iteration : record.iterations) json["iterations"].push_back(iterationJson(iteration));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<RunRecord> readRecord(const std::string& text) {
    try {
        return recordFrom(Json::parse(text));
    } catch (const Json::exception& error) {
        return noRecord(error.what());
    }
}

}  // namespace mitos::search::experiments
