// SPDX-License-Identifier: GPL-3.0-or-later
// Writes and reads verdicts as JSON, see verdict.h.
#include "core/rewrite/verdict.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <limits>

namespace mitos::rewrite {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::array AllValues{Values::NotCompared, Values::Same, Values::Different};
constexpr std::array AllKinds{RuleRemark::Kind::Failed,      RuleRemark::Kind::Untested,   RuleRemark::Kind::Backwards,
                              RuleRemark::Kind::ZeroSign,    RuleRemark::Kind::NotANumber, RuleRemark::Kind::RealOnly,
                              RuleRemark::Kind::Approximate, RuleRemark::Kind::Dropped};
constexpr std::array AllExceptions{eval::ValueException::Kind::ZeroSign, eval::ValueException::Kind::NotANumber};

/// Reads a field into `value`; leaves `value` unchanged if the field is missing or has another type.
template <typename T>
void read(const Json& object, const char* field, T& value) {
    const auto found = object.find(field);
    if (found == object.end()) return;
    const bool fits = std::is_same_v<T, std::string> ? found->is_string()
                      : std::is_same_v<T, bool>      ? found->is_boolean()
                                                     : found->is_number();
    if (fits) value = found->get<T>();
}

}  // namespace

std::string toJson(const Verdict& verdict) {
    Json rules = Json::object();
    for (const RuleRemark::Kind kind : AllKinds) rules[toString(kind)] = Json::array();
    for (const RuleRemark& remark : verdict.rules) {
        Json entry{{"name", remark.rule}};
        if (!remark.reason.empty()) entry["reason"] = remark.reason;
        rules[toString(remark.kind)].push_back(std::move(entry));
    }
    Json exceptions = Json::array();
    for (const eval::ValueException& exception : verdict.exceptions) {
        exceptions.push_back(
            {{"for", eval::toString(exception.kind)}, {"inputs", exception.inputs}, {"example", exception.example}});
    }
    Json json{{"text", verdict.toString()},
              {"good", verdict.isGood()},
              {"steps", verdict.steps},
              {"steps_checked", verdict.stepsChecked},
              {"thread_checked", verdict.isThreadChecked},
              {"thread_note", verdict.threadNote},
              {"values", toString(verdict.values)},
              {"inputs", verdict.inputs},
              // JSON has no infinity, which stands for a value that only one program has.
              {"max_deviation", std::isfinite(verdict.maxDeviation) ? Json(verdict.maxDeviation) : Json(nullptr)},
              {"step_by_step", verdict.isStepByStep},
              {"note", verdict.valuesNote},
              {"counterexample", verdict.counterexample},
              {"exceptions", std::move(exceptions)},
              {"assumptions", verdict.assumptions},
              {"rules", std::move(rules)}};
    if (verdict.outcome) json["outcome"] = {{"kind", verdict.outcome->kind}, {"fault", verdict.outcome->fault}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Verdict> verdictFromJson(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("values") || !json["values"].is_string()) return std::nullopt;
    Verdict verdict;
    read(json, "steps", verdict.steps);
    read(json, "steps_checked", verdict.stepsChecked);
    read(json, "thread_checked", verdict.isThreadChecked);
    read(json, "thread_note", verdict.threadNote);
    if (const auto outcome = json.find("outcome"); outcome != json.end() && outcome->is_object()) {
        verdict.outcome.emplace();
        read(*outcome, "kind", verdict.outcome->kind);
        read(*outcome, "fault", verdict.outcome->fault);
    }
    for (const Values values : AllValues) {
        if (json["values"] == toString(values)) verdict.values = values;
    }
    read(json, "inputs", verdict.inputs);
    verdict.maxDeviation = std::numeric_limits<double>::infinity();
    read(json, "max_deviation", verdict.maxDeviation);
    read(json, "step_by_step", verdict.isStepByStep);
    read(json, "note", verdict.valuesNote);
    read(json, "counterexample", verdict.counterexample);
    for (const Json& entry : json.value("exceptions", Json::array())) {
        if (!entry.is_object()) continue;
        eval::ValueException exception;
        for (const eval::ValueException::Kind kind : AllExceptions) {
            if (entry.value("for", Json()) == eval::toString(kind)) exception.kind = kind;
        }
        read(entry, "inputs", exception.inputs);
        read(entry, "example", exception.example);
        verdict.exceptions.push_back(std::move(exception));
    }
    for (const Json& assumption : json.value("assumptions", Json::array())) {
        if (assumption.is_string()) verdict.assumptions.push_back(assumption.get<std::string>());
    }
    const Json rules = json.value("rules", Json::object());
    if (!rules.is_object()) return verdict;
    for (const RuleRemark::Kind kind : AllKinds) {
        for (const Json& entry : rules.value(toString(kind), Json::array())) {
            RuleRemark remark{kind, {}, {}};
            if (!entry.is_object()) continue;
            read(entry, "name", remark.rule);
            read(entry, "reason", remark.reason);
            verdict.rules.push_back(std::move(remark));
        }
    }
    return verdict;
}

}  // namespace mitos::rewrite
