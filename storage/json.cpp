// SPDX-License-Identifier: GPL-3.0-or-later
// JSON that runs store: parameters, budgets, and what is known of the result.
#include "core/base/number_text.h"
#include "core/rewrite/stated_thread.h"
#include "storage/internal/json_field.h"
#include "storage/internal/session_implementation.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mitos::storage {

namespace {

std::string text(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// What earlier versions stored in place of a verdict.
std::optional<rewrite::Verdict> earlierVerdict(const nlohmann::json& json, bool isThreadChecked) {
    if (!json.contains("equivalent")) return std::nullopt;
    rewrite::Verdict verdict;
    verdict.isThreadChecked = isThreadChecked;
    const nlohmann::json& same = json["equivalent"];
    if (same.is_boolean()) verdict.values = same.get<bool>() ? rewrite::Values::Same : rewrite::Values::Different;
    readField(json, "equivalent_note", verdict.valuesNote);
    readField(json, "counterexample", verdict.counterexample);
    readField(json, "equivalent_samples", verdict.inputs);
    readField(json, "equivalent_deviation", verdict.maxDeviation);
    return verdict;
}

}  // namespace

std::string parametersText(const ParameterValues& values) {
    nlohmann::json json = nlohmann::json::object();
    for (const auto& parameter : values) {
        std::visit([&](const auto& typed) { json[parameter.first] = typed; }, parameter.second);
    }
    return text(json);
}

std::string budgetText(const search::Budget& budget) {
    nlohmann::json json = nlohmann::json::object();
    if (budget.evaluations) json["evaluations"] = *budget.evaluations;
    if (budget.seconds) json["seconds"] = *budget.seconds;
    if (budget.states) json["states"] = *budget.states;
    if (budget.memoryBytes) json["memory_bytes"] = *budget.memoryBytes;
    return text(json);
}

ParameterValues parametersFrom(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    ParameterValues values;
    if (!json.is_object()) return values;
    for (const auto& [name, value] : json.items()) {
        if (value.is_boolean()) values[name] = value.get<bool>();
        if (value.is_number_integer()) values[name] = value.get<std::int64_t>();
        if (value.is_number_float()) values[name] = value.get<double>();
        if (value.is_string()) values[name] = value.get<std::string>();
    }
    return values;
}

search::Budget budgetFrom(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return {};
    return {.evaluations = fieldOf<std::uint64_t>(json, "evaluations"),
            .seconds = fieldOf<double>(json, "seconds"),
            .states = fieldOf<std::uint64_t>(json, "states"),
            .memoryBytes = fieldOf<std::uint64_t>(json, "memory_bytes")};
}

std::string statisticsText(const Run& run) {
    const search::SearchStatistics& statistics = run.statistics;
    nlohmann::json json{{"evaluations", statistics.evaluations},  {"states", statistics.states},
                        {"expansions", statistics.expansions},    {"rewrites", statistics.rewrites},
                        {"memory_bytes", statistics.memoryBytes}, {"seconds", statistics.seconds}};
    if (!statistics.part.empty()) json["part"] = statistics.part;
    if (run.verdict) {
        const bool isCompared = run.verdict->values != rewrite::Values::NotCompared;
        json["verdict"] = nlohmann::json::parse(rewrite::toJson(*run.verdict));
        json["verdict_rules"] = fmt::format("{:016x}", run.judgedRules);
        json["equivalent"] = isCompared ? nlohmann::json(run.verdict->values == rewrite::Values::Same) : nullptr;
    }
    for (const eval::DoubtfulRule& rule : run.failedRules) {
        json["rules_failed"].push_back({{"name", rule.name},
                                        {"set", rule.set},
                                        {"counterexample", rule.reason},
                                        {"left_out", !run.appliesFailedRules}});
    }
    if (run.allowsAssumptions) json["allow_assumptions"] = true;
    if (!run.outcomeKind.empty()) {
        json["outcome"] = {{"kind", run.outcomeKind}, {"summary", run.outcomeSummary}, {"text", run.outcome}};
    }
    if (run.resultState.isValid()) json["result_state"] = run.resultState.value;
    return text(json);
}

void readStatistics(const std::string& text, Run& run) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return;
    search::SearchStatistics& statistics = run.statistics;
    readField(json, "evaluations", statistics.evaluations);
    readField(json, "states", statistics.states);
    readField(json, "expansions", statistics.expansions);
    readField(json, "rewrites", statistics.rewrites);
    readField(json, "memory_bytes", statistics.memoryBytes);
    readField(json, "seconds", statistics.seconds);
    readField(json, "part", statistics.part);
    readField(json, "allow_assumptions", run.allowsAssumptions);
    readField(json, "result_state", run.resultState.value);
    if (const auto outcome = json.find("outcome"); outcome != json.end() && outcome->is_object()) {
        readField(*outcome, "kind", run.outcomeKind);
        readField(*outcome, "summary", run.outcomeSummary);
        readField(*outcome, "text", run.outcome);
    }
    std::string rules;
    readField(json, "verdict_rules", rules);
    run.judgedRules = numberFrom<std::uint64_t>(rules, 16).value_or(0);
    run.verdict = json.contains("verdict") ? rewrite::verdictFromJson(json["verdict"].dump())
                                           : earlierVerdict(json, run.threadChecked);
    const auto failed = json.find("rules_failed");
    if (failed == json.end() || !failed->is_array()) return;
    for (const nlohmann::json& entry : *failed) {
        if (!entry.is_object()) continue;
        eval::DoubtfulRule& rule = run.failedRules.emplace_back();
        readField(entry, "name", rule.name);
        readField(entry, "set", rule.set);
        readField(entry, "counterexample", rule.reason);
        bool isLeftOut = false;
        readField(entry, "left_out", isLeftOut);
        run.appliesFailedRules = !isLeftOut;
    }
}

bool isVerdictOf(const Run& run, std::uint64_t start, std::uint64_t end, const rules::RuleBook& rules) {
    if (run.integrity != Integrity::Intact) return false;
    const Result<rewrite::StatedThread> thread = rewrite::statedThread(SourceText("the run's thread", run.thread));
    if (!thread || thread->states.front().hash != start || thread->states.back().hash != end) return false;
    const std::optional<std::uint64_t> now = rewrite::rulesHash(*thread, rules);
    return run.verdict && now == run.judgedRules;
}

}  // namespace mitos::storage
