// SPDX-License-Identifier: GPL-3.0-or-later
// Events as text, and their folds.
#include "search/events.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace mitos::search {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, std::variant_size_v<EventBody>> Kinds{
    "started",   "progress",     "improved",    "finished",   "growth_started", "iteration",
    "restarted", "growth_ended", "rule_chosen", "generation", "validated"};

constexpr std::array Reasons{StopReason::Exhausted, StopReason::Evaluations, StopReason::Seconds, StopReason::States,
                             StopReason::Memory,    StopReason::Stopped,     StopReason::Depth,   StopReason::Pruned,
                             StopReason::Found,     StopReason::Iterations};

constexpr std::array GrowthReasons{egraph::StopReason::Saturated,     egraph::StopReason::Iterations,
                                   egraph::StopReason::Nodes,         egraph::StopReason::Memory,
                                   egraph::StopReason::Seconds,       egraph::StopReason::Stopped,
                                   egraph::StopReason::Contradiction, egraph::StopReason::Found};

template <typename Reason, std::size_t Count>
std::optional<Reason> named(const std::array<Reason, Count>& reasons, std::string_view name) {
    const auto found = std::ranges::find_if(reasons, [&](Reason reason) { return toString(reason) == name; });
    return found == reasons.end() ? std::nullopt : std::optional(*found);
}

/// JSON has no infinite numbers, and none that is not a number: the text "inf" or "-inf", and null.
Json number(double value) {
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return std::isnan(value) ? Json() : Json(value);
}

double numberIn(const Json& json) {
    if (json.is_number()) return json.get<double>();
    constexpr double Infinity = std::numeric_limits<double>::infinity();
    if (json == "inf") return Infinity;
    if (json == "-inf") return -Infinity;
    return std::numeric_limits<double>::quiet_NaN();
}

std::optional<double> numberIn(const Json& json, const char* field) {
    const auto found = json.find(field);
    return found == json.end() ? std::nullopt : std::optional(numberIn(*found));
}

void put(Json& json, const char* field, const std::optional<double>& value) {
    if (value) json[field] = number(*value);
}

// --- bodies: put() adds the fields of a kind, get() reads them --------------------------------------------------------------

void put(Json&, const Started&) {}
void get(const Json&, Started&) {}

void put(Json&, const Progress&) {}
void get(const Json&, Progress&) {}

void put(Json& json, const Improved& body) {
    if (!body.rule.empty()) json["rule"] = body.rule;
}
void get(const Json& json, Improved& body) { body.rule = json.value("rule", std::string()); }

void put(Json& json, const Finished& body) { json["reason"] = toString(body.reason); }
void get(const Json& json, Finished& body) {
    body.reason = stopReasonNamed(json.value("reason", std::string())).value_or(StopReason::Stopped);
}

void put(Json& json, const GrowthStarted& body) {
    json["rules"] = body.report.rules;
    json["nodes"] = body.report.startNodes;
    json["classes"] = body.report.startClasses;
    put(json, "start_cost", body.report.startCost);
}
void get(const Json& json, GrowthStarted& body) {
    json.at("rules").get_to(body.report.rules);
    json.at("nodes").get_to(body.report.startNodes);
    json.at("classes").get_to(body.report.startClasses);
    body.report.startCost = numberIn(json, "start_cost");
}

/// Rules without any activity are left out, since there may be hundreds.
void put(Json& json, const Iteration& body) {
    const egraph::IterationReport& report = body.report;
    json["nodes"] = report.nodes;
    json["classes"] = report.classes;
    json["filtered"] = report.filtered;
    json["bytes"] = report.bytes;
    json["times"] = {report.searchSeconds, report.applySeconds, report.rebuildSeconds};
    put(json, "cheapest", report.cost);
    put(json, "gain", report.gain);
    json["rule_count"] = report.rules.size();
    Json rules = Json::array();
    for (std::size_t i = 0; i < report.rules.size(); ++i) {
        const egraph::RuleReport& rule = report.rules[i];
        if (rule.matches == 0 && rule.nodes == 0 && rule.refused == 0 && !rule.banned && rule.gain == 0.0) continue;
        rules.push_back(
            {i, rule.matches, rule.applied, rule.nodes, rule.refused, rule.seconds, rule.banned, number(rule.gain)});
    }
    json["rules"] = std::move(rules);
}
void get(const Json& json, Iteration& body) {
    constexpr std::size_t MostRules = 1'000'000;
    egraph::IterationReport& report = body.report;
    json.at("nodes").get_to(report.nodes);
    json.at("classes").get_to(report.classes);
    json.at("filtered").get_to(report.filtered);
    json.at("bytes").get_to(report.bytes);
    json.at("times").at(0).get_to(report.searchSeconds);
    json.at("times").at(1).get_to(report.applySeconds);
    json.at("times").at(2).get_to(report.rebuildSeconds);
    report.cost = numberIn(json, "cheapest");
    report.gain = numberIn(json, "gain");
    report.rules.resize(std::min(json.at("rule_count").get<std::size_t>(), MostRules));
    for (const Json& row : json.at("rules")) {
        const auto index = row.at(0).get<std::size_t>();
        if (index >= report.rules.size()) continue;
        report.rules[index] = {.matches = row.at(1).get<std::uint64_t>(),
                               .applied = row.at(2).get<std::uint64_t>(),
                               .nodes = row.at(3).get<std::uint64_t>(),
                               .refused = row.at(4).get<std::uint64_t>(),
                               .seconds = row.at(5).get<double>(),
                               .banned = row.at(6).get<bool>(),
                               .gain = numberIn(row.at(7))};
    }
}

void put(Json& json, const Restarted& body) {
    json["rule"] = body.leftOut.rule;
    json["why"] = body.leftOut.reason;
}
void get(const Json& json, Restarted& body) {
    json.at("rule").get_to(body.leftOut.rule);
    json.at("why").get_to(body.leftOut.reason);
}

void put(Json& json, const GrowthEnded& body) {
    json["stop"] = toString(body.stop);
    if (!body.detail.empty()) json["detail"] = body.detail;
    if (!body.gainDetail.empty()) json["gain_detail"] = body.gainDetail;
}
void get(const Json& json, GrowthEnded& body) {
    body.stop = named(GrowthReasons, json.value("stop", std::string())).value_or(egraph::StopReason::Stopped);
    body.detail = json.value("detail", std::string());
    body.gainDetail = json.value("gain_detail", std::string());
}

void put(Json& json, const RuleChosen& body) {
    json["chosen"] = body.tree.chosen;
    json["left_out"] = body.tree.leftOut;
    Json nodes = Json::array();
    for (const GuideTree::Node& node : body.tree.nodes) {
        nodes.push_back({node.parent, node.rule, node.visits, number(node.value), number(node.cost), node.enodes,
                         node.isFull, node.isSaturated});
    }
    json["nodes"] = std::move(nodes);
}
void get(const Json& json, RuleChosen& body) {
    json.at("chosen").get_to(body.tree.chosen);
    json.at("left_out").get_to(body.tree.leftOut);
    for (const Json& row : json.at("nodes")) {
        const std::size_t number = body.tree.nodes.size();
        // Parents come before their children, so that no node is its own ancestor.
        const auto parent = row.at(0).get<std::uint32_t>();
        if (parent >= std::max<std::size_t>(number, 1)) throw Json::other_error::create(501, "not a tree", &row);
        body.tree.nodes.push_back({.parent = parent,
                                   .rule = row.at(1).get<std::uint32_t>(),
                                   .visits = row.at(2).get<std::uint64_t>(),
                                   .value = numberIn(row.at(3)),
                                   .cost = numberIn(row.at(4)),
                                   .enodes = row.at(5).get<std::uint64_t>(),
                                   .isFull = row.at(6).get<bool>(),
                                   .isSaturated = row.at(7).get<bool>()});
    }
    if (body.tree.chosen >= body.tree.nodes.size()) throw Json::other_error::create(501, "no such node", &json);
}

void put(Json& json, const Generation& body) {
    json["generation"] = body.number;
    json["generation_best"] = number(body.best);
    json["mean"] = number(body.mean);
    json["diversity"] = body.diversity;
}
void get(const Json& json, Generation& body) {
    json.at("generation").get_to(body.number);
    body.best = numberIn(json.at("generation_best"));
    body.mean = numberIn(json.at("mean"));
    json.at("diversity").get_to(body.diversity);
}

void put(Json& json, const Validated& body) {
    const CurvePoint& point = body.point;
    json["step"] = point.step;
    json["training_seconds"] = number(point.seconds);
    json["improvement"] = number(point.improvement);
    json["better"] = point.better;
    json["worse"] = point.worse;
    json["graphs"] = body.graphs;
    json["reward"] = number(point.reward);
    json["entropy"] = number(point.entropy);
}
void get(const Json& json, Validated& body) {
    CurvePoint& point = body.point;
    json.at("step").get_to(point.step);
    point.seconds = numberIn(json.at("training_seconds"));
    point.improvement = numberIn(json.at("improvement"));
    json.at("better").get_to(point.better);
    json.at("worse").get_to(point.worse);
    json.at("graphs").get_to(body.graphs);
    point.reward = numberIn(json.at("reward"));
    point.entropy = numberIn(json.at("entropy"));
}

template <std::size_t Index = 0>
std::optional<EventBody> bodyOf(std::string_view kind, const Json& json) {
    if constexpr (Index < Kinds.size()) {
        if (kind != Kinds[Index]) return bodyOf<Index + 1>(kind, json);
        std::variant_alternative_t<Index, EventBody> body;
        get(json, body);
        return body;
    } else {
        return std::nullopt;
    }
}

}  // namespace

const char* toString(StopReason reason) {
    switch (reason) {
        case StopReason::Exhausted: return "exhausted";
        case StopReason::Evaluations: return "evaluations";
        case StopReason::Seconds: return "seconds";
        case StopReason::States: return "states";
        case StopReason::Memory: return "memory";
        case StopReason::Stopped: return "stopped";
        case StopReason::Depth: return "depth";
        case StopReason::Pruned: return "pruned";
        case StopReason::Found: return "found";
        case StopReason::Iterations: return "iterations";
    }
    return "";
}

const char* labelOf(StopReason reason) {
    switch (reason) {
        case StopReason::Exhausted: return "nothing left to try";
        case StopReason::Evaluations: return "evaluation limit";
        case StopReason::Seconds: return "time limit";
        case StopReason::States: return "state limit";
        case StopReason::Memory: return "memory limit";
        case StopReason::Stopped: return "stopped by you";
        case StopReason::Depth: return "depth limit";
        case StopReason::Pruned: return "nothing left after pruning";
        case StopReason::Found: return "goal found";
        case StopReason::Iterations: return "iteration limit";
    }
    return "";
}

std::optional<StopReason> stopReasonNamed(std::string_view name) { return named(Reasons, name); }

bool isOfGrowth(const SearchEvent& event) {
    return event.is<GrowthStarted>() || event.is<Iteration>() || event.is<Restarted>() || event.is<GrowthEnded>();
}

void fold(egraph::SaturationReport& report, const SearchEvent& event) {
    if (const auto* const begun = event.as<GrowthStarted>()) {
        report = begun->report;
    } else if (const auto* const iteration = event.as<Iteration>()) {
        report.iterations.push_back(iteration->report);
    } else if (const auto* const restarted = event.as<Restarted>()) {
        report.iterations.clear();
        report.leftOut.push_back(restarted->leftOut);
    } else if (const auto* const ended = event.as<GrowthEnded>()) {
        report.stop = ended->stop;
        report.detail = ended->detail;
        report.gainDetail = ended->gainDetail;
    }
}

std::optional<egraph::SaturationReport> growthIn(const std::vector<SearchEvent>& events) {
    if (std::ranges::none_of(events, isOfGrowth)) return std::nullopt;
    egraph::SaturationReport report;
    for (const SearchEvent& event : events) fold(report, event);
    return report;
}

std::vector<CurvePoint> learningCurveIn(const std::vector<SearchEvent>& events) {
    std::vector<CurvePoint> curve;
    for (const SearchEvent& event : events) {
        if (const auto* const validated = event.as<Validated>()) curve.push_back(validated->point);
    }
    return curve;
}

std::string_view kindOf(const SearchEvent& event) { return Kinds.at(event.what.index()); }

std::string toJson(const SearchEvent& event) {
    Json json{{"seconds", number(event.seconds)}, {"evaluations", event.evaluations},  {"states", event.states},
              {"frontier", event.frontier},       {"memory_bytes", event.memoryBytes}, {"cost", number(event.cost)},
              {"best", number(event.best)},       {"path_length", event.pathLength}};
    if (!event.part.empty()) json["part"] = event.part;
    std::visit([&json](const auto& body) { put(json, body); }, event.what);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<SearchEvent> eventFromJson(std::string_view kind, std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    try {
        std::optional<EventBody> body = bodyOf(kind, json);
        if (!body) return std::nullopt;
        return SearchEvent{.what = *std::move(body),
                           .seconds = numberIn(json.at("seconds")),
                           .evaluations = json.at("evaluations").get<std::uint64_t>(),
                           .states = json.at("states").get<std::uint64_t>(),
                           .frontier = json.at("frontier").get<std::uint64_t>(),
                           .memoryBytes = json.at("memory_bytes").get<std::uint64_t>(),
                           .cost = numberIn(json.at("cost")),
                           .best = numberIn(json.at("best")),
                           .pathLength = json.at("path_length").get<std::uint32_t>(),
                           .part = json.value("part", std::string())};
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

}  // namespace mitos::search
