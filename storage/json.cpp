// SPDX-License-Identifier: GPL-3.0-or-later
// JSON that runs store: parameters, budgets, statistics.
#include "core/rewrite/stated_thread.h"
#include "storage/session.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace mitos::storage {

namespace {

/// The fields that withVerdict() adds; earlier versions wrote the last four in place of a verdict.
constexpr std::array VerdictFields{"verdict",        "verdict_rules",      "equivalent",          "equivalent_note",
                                   "counterexample", "equivalent_samples", "equivalent_deviation"};

std::string hex(std::uint64_t number) { return fmt::format("{:016x}", number); }

std::string text(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string toJson(const ParameterValues& values) {
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
    nlohmann::json json{{"evaluations", statistics.evaluations},  {"states", statistics.states},
                        {"expansions", statistics.expansions},    {"rewrites", statistics.rewrites},
                        {"memory_bytes", statistics.memoryBytes}, {"seconds", statistics.seconds}};
    if (!statistics.part.empty()) json["part"] = statistics.part;
    return text(json);
}

std::string withVerdict(const std::string& statistics, const rewrite::Verdict& verdict, std::uint64_t rules) {
    nlohmann::json json = nlohmann::json::parse(statistics, nullptr, false);
    if (!json.is_object()) json = nlohmann::json::object();
    json["verdict"] = nlohmann::json::parse(rewrite::toJson(verdict));
    json["verdict_rules"] = hex(rules);
    json["equivalent"] = verdict.values == rewrite::Values::NotCompared
                             ? nlohmann::json(nullptr)
                             : nlohmann::json(verdict.values == rewrite::Values::Same);
    return text(json);
}

std::string withoutVerdict(const std::string& statistics) {
    nlohmann::json json = nlohmann::json::parse(statistics, nullptr, false);
    if (!json.is_object()) return statistics;
    for (const char* const field : VerdictFields) json.erase(field);
    return text(json);
}

bool isVerdictOf(const Run& run, std::uint64_t start, std::uint64_t end, const rules::RuleBook& rules) {
    if (run.integrity != Integrity::Intact) return false;
    const Result<rewrite::StatedThread> thread = rewrite::statedThread(SourceText("the run's thread", run.thread));
    if (!thread || thread->states.front().hash != start || thread->states.back().hash != end) return false;
    const std::optional<std::uint64_t> now = rewrite::rulesHash(*thread, rules);
    const nlohmann::json json = nlohmann::json::parse(run.statistics, nullptr, false);
    return now && json.is_object() && json.value("verdict_rules", nlohmann::json()) == hex(*now);
}

std::optional<rewrite::Verdict> verdictIn(const Run& run) {
    const nlohmann::json json = nlohmann::json::parse(run.statistics, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    if (json.contains("verdict")) return rewrite::verdictFromJson(json["verdict"].dump());
    if (!json.contains("equivalent")) return std::nullopt;
    rewrite::Verdict verdict;
    verdict.isThreadChecked = run.threadChecked;
    const nlohmann::json& same = json["equivalent"];
    if (same.is_boolean()) verdict.values = same.get<bool>() ? rewrite::Values::Same : rewrite::Values::Different;
    const auto textOf = [&json](const char* field) {
        return json.contains(field) && json[field].is_string() ? json[field].get<std::string>() : std::string();
    };
    verdict.valuesNote = textOf("equivalent_note");
    verdict.counterexample = textOf("counterexample");
    if (const auto inputs = json.find("equivalent_samples"); inputs != json.end() && inputs->is_number()) {
        verdict.inputs = inputs->get<int>();
    }
    if (const auto apart = json.find("equivalent_deviation"); apart != json.end() && apart->is_number()) {
        verdict.maxDeviation = apart->get<double>();
    }
    return verdict;
}

}  // namespace mitos::storage
