// SPDX-License-Identifier: GPL-3.0-or-later
// See run_json.h.
#include "search/run_json.h"

#include "core/base/json_field.h"
#include "core/base/number_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace mitos::search {

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

std::string_view nameOf(RunState state) {
    switch (state) {
        case RunState::NotRun: return "not run";
        case RunState::Running: return "running";
        case RunState::Finished: return "finished";
        case RunState::Failed: return "failed";
        case RunState::Interrupted: return "interrupted";
    }
    return "";
}

/// The run of a row; nothing for another object.
std::optional<RunRow> rowIn(const nlohmann::json& json) {
    if (!json.is_object() || !json.contains("program") || !json.contains("strategy")) return std::nullopt;
    RunRow row;
    Run& run = row.run;
    readField(json, "program", row.program);
    readField(json, "strategy", run.strategy);
    readField(json, "seed", run.seed);
    std::string state;
    readField(json, "state", state);
    for (const RunState each : {RunState::Running, RunState::Finished, RunState::Failed, RunState::Interrupted}) {
        if (state == nameOf(each)) run.state = each;
    }
    readField(json, "stop", run.stop);
    readField(json, "initial_cost", run.initialCost);
    readField(json, "best_cost", run.bestCost);
    readField(json, "cost_model", run.costModel);
    readField(json, "rules", run.rules);
    readField(json, "started_at", run.startedAt);
    readField(json, "thread_checked", run.threadChecked);
    if (json.contains("budget")) run.budget = budgetFrom(json.at("budget").dump());
    if (json.contains("parameters")) run.parameters = parametersFrom(json.at("parameters").dump());
    if (json.contains("statistics")) readStatistics(json.at("statistics").dump(), run);
    if (json.contains("more")) row.more = text(json.at("more"));
    const auto curve = json.find("curve");
    if (curve == json.end() || !curve->is_array()) return row;
    for (const nlohmann::json& point : *curve) {
        std::string kind;
        if (point.is_object()) readField(point, "kind", kind);
        if (kind.empty() || !point.contains("event")) continue;
        if (auto event = eventFromJson(kind, point.at("event").dump())) run.events.push_back(*std::move(event));
    }
    return row;
}

}  // namespace

std::string parametersText(const ParameterValues& values) {
    nlohmann::json json = nlohmann::json::object();
    for (const auto& parameter : values) {
        std::visit([&](const auto& typed) { json[parameter.first] = typed; }, parameter.second);
    }
    return text(json);
}

std::string budgetText(const Budget& budget) {
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

Budget budgetFrom(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return {};
    return {.evaluations = fieldOf<std::uint64_t>(json, "evaluations"),
            .seconds = fieldOf<double>(json, "seconds"),
            .states = fieldOf<std::uint64_t>(json, "states"),
            .memoryBytes = fieldOf<std::uint64_t>(json, "memory_bytes")};
}

std::string statisticsText(const Run& run) {
    const SearchStatistics& statistics = run.statistics;
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
    SearchStatistics& statistics = run.statistics;
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

std::string rowText(const RunRow& row) {
    const Run& run = row.run;
    Run known = run;
    known.outcome.clear();
    nlohmann::ordered_json json{{"program", row.program},
                                {"strategy", run.strategy},
                                {"seed", run.seed},
                                {"state", nameOf(run.state)},
                                {"stop", run.stop},
                                {"initial_cost", run.initialCost},
                                {"best_cost", run.bestCost},
                                {"cost_model", run.costModel},
                                {"rules", run.rules},
                                {"started_at", run.startedAt},
                                {"thread_checked", run.threadChecked},
                                {"budget", nlohmann::json::parse(budgetText(run.budget))},
                                {"parameters", nlohmann::json::parse(parametersText(run.parameters))},
                                {"statistics", nlohmann::json::parse(statisticsText(known))},
                                {"curve", nlohmann::json::array()}};
    for (const SearchEvent& event : run.events) {
        if (!event.is<Started>() && !event.is<Improved>() && !event.is<Finished>()) continue;
        json["curve"].push_back({{"kind", kindOf(event)}, {"event", nlohmann::json::parse(toJson(event))}});
    }
    if (!row.more.empty()) json["more"] = nlohmann::ordered_json::parse(row.more, nullptr, false);
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<std::vector<RunRow>> readRows(const SourceText& source) {
    std::vector<RunRow> rows;
    const std::string_view all = source.text();
    std::uint32_t line = 0;
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = std::min(all.find('\n', begin), all.size());
        const std::string_view text = all.substr(begin, end - begin);
        begin = end + 1;
        ++line;
        if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        std::optional<RunRow> row;
        constexpr std::size_t Deepest = 64;
        if (jsonNesting(text) <= Deepest) row = rowIn(nlohmann::json::parse(text, nullptr, false));
        if (!row) {
            return Error{ErrorCode::Parse, fmt::format("{}: line {} is no run", source.name(), line), std::nullopt,
                         "rows are the lines that mitos-cli schedule --array prints"};
        }
        rows.push_back(*std::move(row));
    }
    return rows;
}

}  // namespace mitos::search
