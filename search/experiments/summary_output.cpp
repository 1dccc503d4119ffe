// SPDX-License-Identifier: GPL-3.0-or-later
// The summary for the terminal and for scripts.
#include "search/experiments/write_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace mitos::search::experiments {

namespace {

using Json = nlohmann::ordered_json;

Json measureJson(const Measure& measure) {
    return {{"mean", measure.mean}, {"sd", measure.deviation}, {"runs", measure.count}};
}
Json paperJson(const PaperMeasure& measure) { return {{"mean", measure.mean}, {"sd", measure.deviation}}; }
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string_view titleOf(const ExperimentPlan& plan, Part part) {
    return std::ranges::find(allParts(), part, &PartInfo::part)->titleFor(plan.paperDevice);
}

Json rowJson(const ResultRow& row) {
    Json json{{"program", row.program},
              {"approach", std::string(approaches()[row.approach].name)},
              {"search_budget", row.budget},
              {"k_multi", row.multiIterations},
              {"initial_cost", row.initialCost},
              {"gain_percent", measureJson(row.gain)},
              {"result_gain_percent", measureJson(row.resultGain)},
              {"seconds", measureJson(row.seconds)},
              {"nodes", measureJson(row.nodes)},
              {"threads_checked", row.checked},
              {"out_of_time", row.outOfTime}};
    json["paper"] = row.paper ? Json{{"gain_percent", paperJson(row.paper->gain)},
                                     {"seconds", paperJson(row.paper->seconds)},
                                     {"k_multi", row.paper->multiIterations}}
                              : Json(nullptr);
    return json;
}

Json meansJson(const std::vector<ApproachMean>& means) {
    Json list = Json::array();
    for (const ApproachMean& mean : means) {
        list.push_back({{"approach", std::string(approaches()[mean.approach].name)},
                        {"search_budget", mean.budget},
                        {"programs", mean.programs},
                        {"gain_percent", mean.gain},
                        {"seconds", mean.seconds},
                        {"paper_gain_percent", mean.paper ? Json(mean.paper->gain) : Json(nullptr)},
                        {"paper_seconds", mean.paper ? Json(mean.paper->seconds) : Json(nullptr)}});
    }
    return list;
}

}  // namespace

std::string summaryText(const ExperimentPlan& plan, const ExperimentResults& results, const Summary& summary) {
    std::string text;
    if (!results.initial.empty()) {
        text += fmt::format("{} ({})\n{:<24}{:>12}{:>14}{:>14}\n", titleOf(plan, Part::Table1), plan.cost->info().unit,
                            "network", "ILP", "default", "paper's");
        for (const InitialCosts& costs : results.initial) {
            text +=
                fmt::format("{:<24}{:>12.6g}{:>14.6g}{:>14.6g}\n", costs.program, costs.exact, costs.tree, costs.paper);
        }
        text += '\n';
    }
    if (!summary.rows.empty()) {
        text += fmt::format("{}; the paper's ({}) at the right\n{:<24}{:<14}{:>17}{:>20}{:>17}{:>12}\n",
                            titleOf(plan, Part::Table2), toString(plan.paperDevice), "network", "approach", "gain (%)",
                            "time (s)", "paper's gain", "time");
        for (const ResultRow& row : summary.rows) {
            text += fmt::format("{:<24}{:<14}{:>9.2f} ± {:<5.2f}{:>12.3g} ± {:<5.2g}", row.program,
                                approaches()[row.approach].label, row.gain.mean, row.gain.deviation, row.seconds.mean,
                                row.seconds.deviation);
            text += row.paper ? fmt::format("{:>17.2f}{:>12}\n", row.paper->gain.mean, row.paper->seconds.mean)
                              : std::string("\n");
        }
        text += '\n';
    }
    return text;
}

std::string summaryJson(const ExperimentPlan& plan, const Summary& summary, const ExperimentResults& results) {
    Json json{{"table1", Json::array()},
              {"table2", Json::array()},
              {"figure5", meansJson(summary.figure5)},
              {"figure6", meansJson(summary.figure6)},
              {"budgets", Json::array()},
              {"devices", Json::array()},
              {"rules_used", Json::array()}};
    for (const InitialCosts& costs : results.initial) {
        json["table1"].push_back({{"program", costs.program},
                                  {"ilp", costs.exact},
                                  {"proven", costs.isProven},
                                  {"default", finite(costs.tree)},
                                  {"paper", costs.paper}});
    }
    for (const ResultRow& row : summary.rows) json["table2"].push_back(rowJson(row));
    for (const ResultRow& row : summary.budgets) json["budgets"].push_back(rowJson(row));
    for (const DeviceRow& row : summary.devices) {
        json["devices"].push_back({{"program", row.program},
                                   {"approach", std::string(approaches()[row.approach].name)},
                                   {"gain_percent", measureJson(row.here)},
                                   {"other_gain_percent", measureJson(row.there)}});
    }
    for (const RuleUse& use : summary.rules) {
        json["rules_used"].push_back({{"approach", std::string(approaches()[use.approach].name)},
                                      {"programs", use.programs.size()},
                                      {"rules", use.rules.size()},
                                      {"of", plan.rules.directions.size()}});
    }
    return json.dump();
}

}  // namespace mitos::search::experiments
