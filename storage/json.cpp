// SPDX-License-Identifier: GPL-3.0-or-later
// What runs store as JSON: parameters, budgets, statistics.
#include "storage/session.h"

#include <nlohmann/json.hpp>

namespace mitos::storage {

namespace {

std::string text(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string toJson(const search::ParameterValues& values) {
    nlohmann::json json = nlohmann::json::object();
    for (const auto& parameter : values) {
        std::visit([&](const auto& typed) { json[parameter.first] = typed; }, parameter.second);
    }
    return text(json);
}

std::string toJson(const search::Budget& budget) {
    nlohmann::json json = nlohmann::json::object();
    if (budget.evaluations) json["evaluations"] = *budget.evaluations;
    if (budget.seconds) json["seconds"] = *budget.seconds;
    if (budget.states) json["states"] = *budget.states;
    if (budget.memoryBytes) json["memory_bytes"] = *budget.memoryBytes;
    return text(json);
}

std::string toJson(const search::SearchStatistics& statistics) {
    return text({{"evaluations", statistics.evaluations},
                 {"states", statistics.states},
                 {"expansions", statistics.expansions},
                 {"rewrites", statistics.rewrites},
                 {"memory_bytes", statistics.memoryBytes},
                 {"seconds", statistics.seconds}});
}

}  // namespace mitos::storage
