// SPDX-License-Identifier: GPL-3.0-or-later
// See pypm_record.h.
#include "search/experiments/pypm_record.h"

#include "core/base/spread.h"
#include "search/experiments/pypm.h"
#include "search/experiments/record_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>

namespace mitos::search::experiments {

namespace {

using PypmJson = nlohmann::ordered_json;

PypmJson passJson(const PypmPass& pass) {
    PypmJson rules = PypmJson::object();
    for (const auto& [rule, matches] : pass.rules) rules[rule] = matches;
    return {{"compilation", pass.compilation},
            {"seconds", pass.seconds},
            {"walks", pass.walks},
            {"fixed_point", pass.isFixedPoint},
            {"rules", std::move(rules)},
            {"cost", pass.cost ? PypmJson(*pass.cost) : PypmJson(nullptr)},
            {"nodes", pass.nodes},
            {"refuted", pass.isRefuted},
            {"verdict", pass.verdict}};
}

PypmPass passFrom(const PypmJson& json) {
    PypmPass pass{.compilation = json.at("compilation").get<std::string>(),
                  .seconds = json.at("seconds").get<std::vector<double>>(),
                  .walks = json.at("walks").get<std::uint64_t>(),
                  .isFixedPoint = json.at("fixed_point").get<bool>()};
    for (const auto& [rule, matches] : json.at("rules").items())
        pass.rules.emplace_back(rule, matches.get<std::uint64_t>());
    if (!json.at("cost").is_null()) pass.cost = json.at("cost").get<double>();
    pass.nodes = json.at("nodes").get<std::uint64_t>();
    pass.isRefuted = json.at("refuted").get<bool>();
    pass.verdict = json.at("verdict").get<std::string>();
    return pass;
}

PypmJson levelJson(const PypmTimes& times) {
    PypmJson compilations = PypmJson::array();
    for (const PypmTime& one : times.compilations) {
        compilations.push_back({{"compilation", one.compilation},
                                {"timed_as", one.timedAs},
                                {"seconds", one.seconds},
                                {"ratio", {one.ratio.value, one.ratio.low, one.ratio.high}}});
    }
    return {{"level", times.level}, {"compilations", std::move(compilations)}};
}

PypmTimes levelFrom(const PypmJson& json) {
    PypmTimes times{.level = json.at("level").get<std::string>()};
    for (const PypmJson& one : json.at("compilations")) {
        const PypmJson& ratio = one.at("ratio");
        times.compilations.push_back({.compilation = one.at("compilation").get<std::string>(),
                                      .timedAs = one.at("timed_as").get<std::string>(),
                                      .seconds = one.at("seconds").get<double>(),
                                      .ratio = {.value = ratio.at(0).get<double>(),
                                                .low = ratio.at(1).get<double>(),
                                                .high = ratio.at(2).get<double>()}});
    }
    return times;
}

/// Whether the list has an entry for each compilation, in order.
template <typename Entry>
bool isOfAll(const std::vector<Entry>& entries) {
    return std::ranges::equal(entries, pypmCompilations(), {}, &Entry::compilation, &PypmCompilationInfo::name);
}

}  // namespace

std::uint64_t PypmPass::matches() const {
    std::uint64_t sum = 0;
    for (const auto& [rule, count] : rules) sum += count;
    return sum;
}

double PypmPass::medianSeconds() const { return spreadOf(seconds).median; }

bool operator==(const PypmTime& one, const PypmTime& other) {
    const auto all = [](const PypmTime& time) {
        return std::tie(time.compilation, time.timedAs, time.seconds, time.ratio.value, time.ratio.low,
                        time.ratio.high);
    };
    return all(one) == all(other);
}

const PypmTimes* PypmRecord::find(std::string_view level) const {
    const auto found = std::ranges::find(times, level, &PypmTimes::level);
    return found == times.end() ? nullptr : &*found;
}

std::string writePypmRecord(const PypmRecord& record) {
    PypmJson passes = PypmJson::array();
    for (const PypmPass& pass : record.passes) passes.push_back(passJson(pass));
    PypmJson times = PypmJson::array();
    for (const PypmTimes& one : record.times) times.push_back(levelJson(one));
    const PypmJson json{{"run", record.run},
                        {"program", record.program},
                        {"nodes", record.nodes},
                        {"passes", std::move(passes)},
                        {"runtime", record.runtime},
                        {"times", std::move(times)},
                        {"timing_error", record.timingError}};
    return json.dump(-1, ' ', false, PypmJson::error_handler_t::replace);
}

Result<PypmRecord> readPypmRecord(const std::string& text) {
    try {
        const auto json = PypmJson::parse(text);
        PypmRecord record{.run = json.at("run").get<std::string>(),
                          .program = json.at("program").get<std::string>(),
                          .nodes = json.at("nodes").get<std::uint64_t>()};
        for (const PypmJson& pass : json.at("passes")) record.passes.push_back(passFrom(pass));
        record.runtime = json.at("runtime").get<std::string>();
        for (const PypmJson& one : json.at("times")) record.times.push_back(levelFrom(one));
        record.timingError = json.at("timing_error").get<std::string>();
        const bool isTimed =
            std::ranges::all_of(record.times, [](const auto& one) { return isOfAll(one.compilations); });
        const bool isComplete =
            isTimed && isOfAll(record.passes) &&
            std::ranges::none_of(record.passes, [](const PypmPass& pass) { return pass.seconds.empty(); });
        if (!isComplete) return noRecord("a compilation is missing");
        return record;
    } catch (const PypmJson::exception& error) {
        return noRecord(error.what());
    }
}

}  // namespace mitos::search::experiments
