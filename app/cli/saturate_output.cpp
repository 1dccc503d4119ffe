// SPDX-License-Identifier: GPL-3.0-or-later
// See saturate_output.h.
#include "app/cli/saturate_output.h"

#include "app/cli/verification.h"
#include "core/ir/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace mitos::cli {

namespace {

/// The rules with the most applications, for a line of the table.
std::string busiest(const egraph::SaturationReport& report, const egraph::IterationReport& iteration) {
    constexpr std::size_t Shown = 3;
    std::vector<std::size_t> order(iteration.rules.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return iteration.rules[a].applied > iteration.rules[b].applied; });
    std::string text;
    for (std::size_t i = 0; i < std::min(Shown, order.size()); ++i) {
        const std::uint64_t applied = iteration.rules[order[i]].applied;
        if (applied != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", report.rules[order[i]], applied);
    }
    return text;
}

Json iterationJson(const egraph::SaturationReport& report, const egraph::IterationReport& iteration, bool followsCost) {
    Json applied = Json::object();
    Json matches = Json::object();
    Json added = Json::object();
    Json banned = Json::array();
    Json gains = Json::object();
    std::uint64_t refused = 0;
    for (std::size_t i = 0; i < iteration.rules.size(); ++i) {
        const egraph::RuleReport& rule = iteration.rules[i];
        applied[report.rules[i]] = rule.applied;
        matches[report.rules[i]] = rule.matches;
        added[report.rules[i]] = rule.nodes;
        gains[report.rules[i]] = rule.gain;
        refused += rule.refused;
        if (rule.banned) banned.push_back(report.rules[i]);
    }
    Json json{{"nodes", iteration.nodes},
              {"classes", iteration.classes},
              {"applied", std::move(applied)},
              {"matches", std::move(matches)},
              {"added", std::move(added)},
              {"banned", std::move(banned)},
              {"seconds", iteration.seconds()},
              {"search_seconds", iteration.searchSeconds},
              {"apply_seconds", iteration.applySeconds},
              {"rebuild_seconds", iteration.rebuildSeconds},
              {"filtered", iteration.filtered},
              {"bytes", iteration.bytes}};
    json["refused"] = refused;
    if (followsCost && iteration.cost) json["cost"] = *iteration.cost;
    if (iteration.gain) json["gain"] = std::move(gains);
    return json;
}

/// Prints the rules that reduced the cost of the cheapest programs, the largest gain first, and the reason if gains are not fully
/// known.
void printGains(const egraph::SaturationReport& report) {
    std::vector<std::pair<double, std::string>> gains;
    for (std::size_t rule = 0; rule < report.rules.size(); ++rule) {
        double gain = 0.0;
        for (const egraph::IterationReport& iteration : report.iterations) gain += iteration.rules[rule].gain;
        if (gain > 0.0) gains.emplace_back(gain, report.rules[rule]);
    }
    std::ranges::stable_sort(gains, [](const auto& a, const auto& b) { return a.first > b.first; });
    if (!gains.empty()) fmt::print("what the rules gained on the way to the cheapest:\n");
    for (const auto& [gain, rule] : gains) fmt::print("{:>12.6g}  {}\n", gain, rule);
    if (!report.gainDetail.empty()) {
        fmt::print("it is not always known which rules made it cheaper: {}\n", report.gainDetail);
    }
}

Json limitsJson(const egraph::Limits& limits) {
    return {{"iterations", limits.iterations ? Json(*limits.iterations) : Json(nullptr)},
            {"nodes", *limits.nodes},
            {"seconds", limits.seconds ? Json(*limits.seconds) : Json(nullptr)},
            {"memory_bytes", *limits.memoryBytes}};
}

Json leftOutJson(const egraph::SaturationReport& report) {
    Json list = Json::array();
    for (const egraph::LeftOutRule& rule : report.leftOut) {
        list.push_back({{"rule", rule.rule}, {"reason", rule.reason}});
    }
    return list;
}

Json termJson(ir::TermBank& bank, const ir::Program& start, const Smallest& result) {
    Json term{{"term", textOf(bank, start)},
              {"smallest", textOf(bank, {start.function, result.term})},
              {"size", result.size},
              {"cost", result.cost}};
    if (result.thread) term["thread_length"] = result.thread->steps.size();
    addVerdict(term, result.verdict);
    if (result.different) term["different"] = verdictJson(*result.different);
    if (result.refused) {
        term["unexplained_cost"] = result.refused->cost;
        term["unexplained"] = result.refused->why.message;
    }
    return term;
}

void printTerm(ir::TermBank& bank, const ir::Program& start, const Smallest& result, const std::string& model) {
    const std::string cost = model == "size" ? "" : fmt::format(", cost {}", result.cost);
    if (bank.dialect(start.function).sharesNodes()) {
        fmt::print("\n{}cheapest, {} nodes{}\n", textOf(bank, {start.function, result.term}), result.size, cost);
    } else {
        fmt::print("\n{}\n  smallest, {} node{}{}: {}\n", textOf(bank, start), result.size, result.size == 1 ? "" : "s",
                   cost, textOf(bank, {start.function, result.term}));
    }
    fmt::print("  ");
    printResultVerdict(result.verdict);
    if (result.different) printRefused(*result.different);
    if (result.refused) fmt::print("  {}\n", result.refused->toString());
}

}  // namespace

std::string textOf(const ir::TermBank& bank, const ir::Program& program) {
    const ir::Dialect& dialect = bank.dialect(program.function);
    return dialect.sharesNodes() ? ir::printProgram(bank, program) : dialect.printTerm(bank, program.root, {});
}

std::string limitsText(const egraph::Limits& limits) {
    std::string text;
    if (limits.iterations) text += fmt::format("{} iterations, ", *limits.iterations);
    text += fmt::format("{} e-nodes", *limits.nodes);
    if (limits.seconds) text += fmt::format(", {} s", *limits.seconds);
    return text + fmt::format(", {} MiB", *limits.memoryBytes >> 20U);
}

void printHead(bool followsCost) {
    fmt::print("{:>9}  {:>9}  {:>9}  {:>10}  {:>12}  {}rules that made most terms equal\n", "iteration", "e-nodes",
               "classes", "time", "memory", followsCost ? fmt::format("{:>12}  ", "cheapest") : "");
}

void printIteration(const egraph::SaturationReport& report, bool followsCost) {
    const egraph::IterationReport& last = report.iterations.back();
    const std::string cheapest = last.cost ? fmt::format("{:.6g}", *last.cost) : "–";
    fmt::print("{:>9}  {:>9}  {:>9}  {:>8.3f} s  {:>8.1f} MiB  {}{}\n", report.iterations.size(), last.nodes,
               last.classes, last.seconds(), static_cast<double>(last.bytes) / (1024.0 * 1024.0),
               followsCost ? fmt::format("{:>12}  ", cheapest) : "", busiest(report, last));
}

Json resultsJson(const search::SaturationPlan& plan, bool followsCost, ir::TermBank& bank,
                 const std::vector<ir::Program>& starts, const std::vector<Smallest>& results,
                 const egraph::SaturationReport& report) {
    Json iterations = Json::array();
    for (const egraph::IterationReport& iteration : report.iterations) {
        iterations.push_back(iterationJson(report, iteration, followsCost));
    }
    Json terms = Json::array();
    for (std::size_t i = 0; i < results.size(); ++i) terms.push_back(termJson(bank, starts[i], results[i]));
    Json json{{"iterations", std::move(iterations)},
              {"stop", toString(report.stop)},
              {"start_nodes", report.startNodes},
              {"start_classes", report.startClasses},
              {"limits", limitsJson(plan.growth.limits)},
              {"left_out", leftOutJson(report)},
              {"scheduler", plan.growth.scheduler},
              {"method", plan.method},
              {"terms", std::move(terms)}};
    if (report.startCost) json["start_cost"] = *report.startCost;
    if (!report.gainDetail.empty()) json["gain_detail"] = report.gainDetail;
    if (!report.detail.empty()) json["detail"] = report.detail;
    return json;
}

Json goalsJson(ir::TermBank& bank, const std::vector<ir::Program>& starts, const std::vector<Reached>& goals) {
    Json list = Json::array();
    for (const Reached& reached : goals) {
        const bool isFound = reached.goal.start.has_value();
        Json& json =
            list.emplace_back(Json{{"goal", textOf(bank, reached.goal.program)},
                                   {"found", isFound},
                                   {"iteration", isFound ? Json(reached.goal.iteration) : Json()},
                                   {"term", isFound ? Json(textOf(bank, starts[*reached.goal.start])) : Json()}});
        if (!isFound) {
            json["reason"] = reached.reason;
            json["rules_left_out"] = reached.leftOut;
            continue;
        }
        if (reached.thread) json["thread_length"] = reached.thread->steps.size();
        addVerdict(json, reached.verdict);
    }
    return list;
}

void printResults(const std::string& model, ir::TermBank& bank, const std::vector<ir::Program>& starts,
                  const std::vector<Smallest>& results, const egraph::SaturationReport& report,
                  const std::string& note) {
    fmt::print("stopped: {} after {} iteration{}\n", toString(report.stop), report.iterations.size(),
               report.iterations.size() == 1 ? "" : "s");
    if (!report.detail.empty()) fmt::print("{}\n", report.detail);
    for (const egraph::LeftOutRule& rule : report.leftOut) {
        fmt::print("{} was left out, and the run began anew without it: {}\n", rule.rule, rule.reason);
    }
    if (!note.empty()) fmt::print("{}\n", note);
    printGains(report);
    for (std::size_t i = 0; i < results.size(); ++i) printTerm(bank, starts[i], results[i], model);
}

void printGoal(ir::TermBank& bank, const std::vector<ir::Program>& starts, const Reached& reached) {
    fmt::print("\ngoal {}\n", textOf(bank, reached.goal.program));
    if (!reached.goal.start) {
        fmt::print("  NOT FOUND: it is not equal to a start term in this e-graph\n");
        if (!reached.reason.empty()) fmt::print("  {}\n", reached.reason);
        return;
    }
    const std::uint32_t iteration = reached.goal.iteration;
    fmt::print("  found {}, equal to {}\n  ",
               iteration == 0 ? "before the first iteration" : fmt::format("after iteration {}", iteration),
               textOf(bank, starts[*reached.goal.start]));
    printResultVerdict(reached.verdict);
}

}  // namespace mitos::cli
