// SPDX-License-Identifier: GPL-3.0-or-later
// See coarsening_record.h.
#include "search/experiments/coarsening_record.h"

#include "search/experiments/record_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <string_view>

namespace mitos::search::experiments {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinities; what is not finite is read as NaN.
double numberFrom(const Json& json) {
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json timesJson(const std::vector<ToolTime>& times) {
    Json json = Json::array();
    for (const ToolTime& time : times) {
        json.push_back({{"tool", time.tool},
                        {"median_seconds", time.call.seconds.median},
                        {"lowest_seconds", time.call.seconds.least},
                        {"quartile_seconds", {time.call.seconds.lower, time.call.seconds.upper}},
                        {"highest_seconds", time.call.seconds.most},
                        {"batches", time.call.count},
                        {"calls", time.call.calls},
                        {"apart", time.apart}});
    }
    return json;
}

std::vector<ToolTime> timesFrom(const Json& json) {
    std::vector<ToolTime> times;
    for (const Json& time : json) {
        const Json& quartiles = time.at("quartile_seconds");
        times.push_back({.tool = time.at("tool").get<std::string>(),
                         .call = {.seconds = {.least = numberFrom(time.at("lowest_seconds")),
                                              .lower = numberFrom(quartiles.at(0)),
                                              .median = numberFrom(time.at("median_seconds")),
                                              .upper = numberFrom(quartiles.at(1)),
                                              .most = numberFrom(time.at("highest_seconds"))},
                                  .count = time.at("batches").get<std::size_t>(),
                                  .calls = time.at("calls").get<std::uint32_t>()},
                         .apart = numberFrom(time.at("apart"))});
    }
    return times;
}

Json configurationJson(const ConfigurationTimes& times) {
    Json memory = Json::array();
    for (const ToolMemory& used : times.memory) {
        memory.push_back({{"tool", used.tool}, {"allocations", used.allocations}, {"bytes", used.bytes}});
    }
    Json json{{"name", times.name},
              {"gradient", timesJson(times.gradient)},
              {"iteration", timesJson(times.iteration)},
              {"memory", memory}};
    if (!times.differentiation.empty()) json["differentiation"] = timesJson(times.differentiation);
    return json;
}

ConfigurationTimes configurationFrom(const Json& json) {
    ConfigurationTimes times{.name = json.at("name").get<std::string>(),
                             .gradient = timesFrom(json.at("gradient")),
                             .iteration = timesFrom(json.at("iteration")),
                             .differentiation = {},
                             .memory = {}};
    if (json.contains("differentiation")) times.differentiation = timesFrom(json.at("differentiation"));
    for (const Json& used : json.at("memory")) {
        times.memory.push_back({.tool = used.at("tool").get<std::string>(),
                                .allocations = used.at("allocations").get<std::size_t>(),
                                .bytes = used.at("bytes").get<std::size_t>()});
    }
    return times;
}

Json runJson(const CoarseningRun& run) {
    Json configurations = Json::array();
    for (const auto& configuration : run.configurations) configurations.push_back(configurationJson(configuration));
    return {{"benchmark", run.benchmark->name},
            {"configurations", configurations},
            {"size", run.variants.size},
            {"segments", run.variants.segments},
            {"whole", run.variants.isWhole},
            {"steps", run.variants.steps},
            {"symbolic_seconds", run.variants.symbolicSeconds}};
}

}  // namespace

std::string writeCoarseningRecord(const CoarseningRun& run) {
    return runJson(run).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<CoarseningRun> readCoarseningRecord(const std::string& text) {
    try {
        const Json json = Json::parse(text);
        CoarseningRun run;
        const auto name = json.at("benchmark").get<std::string>();
        for (const CoarseningBenchmark& benchmark : coarseningBenchmarks()) {
            if (benchmark.name == name) run.benchmark = &benchmark;
        }
        if (run.benchmark == nullptr) return noRecord("there is no benchmark " + name);
        run.variants.size = json.at("size").get<std::size_t>();
        run.variants.segments = json.at("segments").get<std::size_t>();
        run.variants.isWhole = json.at("whole").get<bool>();
        run.variants.steps = json.at("steps").get<std::size_t>();
        run.variants.symbolicSeconds = json.at("symbolic_seconds").get<double>();
        for (const Json& times : json.at("configurations")) run.configurations.push_back(configurationFrom(times));
        if (run.configurations.size() > PaperSpeedUps{}.size()) return noRecord("it has too many configurations");
        return run;
    } catch (const Json::exception& error) {
        return noRecord(error.what());
    }
}

std::string coarseningJson(const CoarseningResults& results) {
    Json runs = Json::array();
    for (const CoarseningRun& run : results.runs) runs.push_back(runJson(run));
    const Json json{
        {"compiler", results.tools.compiler}, {"libraries", results.tools.foundLibraries()}, {"runs", runs}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mitos::search::experiments
