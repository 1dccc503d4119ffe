// SPDX-License-Identifier: GPL-3.0-or-later
// See regal_report.h.
#include "search/experiments/regal_report.h"

#include "search/experiments/regal_charts.h"
#include "search/experiments/regal_claims.h"
#include "search/experiments/regal_tables.h"
#include "search/experiments/report_pages.h"
#include "search/report/html.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace mitos::search::experiments {

namespace {

constexpr const char* RegalIntroduction =
    "<p>Two equal devices with instant transfers, as in the paper. All genetic algorithms have its keys (affinities "
    "and priorities) and begin at random, "
    "but for <em>BRKGA from heuristics</em> and for what Mitos does without learning, which begins from list schedules "
    "and the like. Methods "
    "are compared on the same graphs with the same seeds. A claim about a mean holds if its whole 95 % interval does, "
    "and is not decided "
    "if the interval contains the limit.</p>\n<p>Methods <em>from</em> the paper are those of its Table 1; "
    "<em>controls</em> show where a gain comes from; those "
    "<em>beside</em> it are not in the paper. All searches are in <code>runs.csv</code>.</p>\n";

nlohmann::ordered_json summaryOfKey(const RegalResults& results, const RegalSummary& summary) {
    const IntervalMean& gain = summary.comparison.improvement;
    return {{"task", toString(summary.key.task)},
            {"set", toString(summary.key.set)},
            {"method", infoOf(summary.key.method).name},
            {"title", results.title(summary.key)},
            {"evaluations", summary.key.evaluations},
            {"graphs", summary.graphs},
            {"compared", summary.comparison.count()},
            {"unfit", summary.unfit},
            {"gain_percent", gain.mean},
            {"gain_interval", {gain.low, gain.high}},
            {"gap_percent", summary.gap.mean},
            {"better", summary.comparison.better},
            {"equal", summary.comparison.equal},
            {"worse", summary.comparison.worse},
            {"highest_percent", summary.comparison.best},
            {"lowest_percent", summary.comparison.worst},
            {"seconds", summary.seconds},
            {"network_seconds", summary.inferenceSeconds}};
}

std::string regalJson(const RegalResults& results) {
    nlohmann::ordered_json methods = nlohmann::ordered_json::array();
    for (const RegalTask task : regalTasks()) {
        for (const RegalSet set : {RegalSet::Unseen, RegalSet::Noisy, RegalSet::Networks}) {
            for (const RegalKey& key : results.keys(task, set)) {
                if (const auto summary = results.summary(key)) methods.push_back(summaryOfKey(results, *summary));
            }
        }
    }
    const nlohmann::ordered_json json{{"methods", std::move(methods)}};
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// The graphs of each part, in words.
std::string subtitleOf(const RegalPlan& plan) {
    return fmt::format("{} generated graphs, {}, {} evaluations", plan.graphs,
                       report::plural(plan.seeds, "seed", "seeds"), groupedText(plan.evaluations));
}

/// A list of names with reasons; empty without any.
std::string reasonList(const char* heading, const std::vector<std::pair<std::string, std::string>>& reasons) {
    if (reasons.empty()) return {};
    std::string html = fmt::format("<h3>{}</h3>\n<ul>\n", heading);
    for (const auto& [name, reason] : reasons)
        html += fmt::format("<li><strong>{}</strong>: {}</li>\n", report::escaped(name), report::escaped(reason));
    return html + "</ul>\n";
}

std::string partHtml(const RegalResults& results, std::string_view part, ReportPages& pages) {
    std::string html;
    const auto addMethods = [&](RegalTask task, RegalSet set) {
        html += pages.titledTable(methodTable(results, task, set), true);
    };
    if (part == "table1") {
        addMethods(RegalTask::Memory, RegalSet::Unseen);
        addMethods(RegalTask::Time, RegalSet::Unseen);
        html += methodSeconds(results);
    } else if (part == "capped") {
        addMethods(RegalTask::Capped, RegalSet::Unseen);
    } else if (part == "figure2") {
        html = gainHistograms(results);
    } else if (part == "figure3") {
        html = evaluationCharts(results);
        html += pages.table(evaluationTable(results));
    } else if (part == "figure4") {
        html = entropyHistograms(results);
        html += trainingCharts(results);
        html += pages.titledTable(roundsTable(results));
    } else if (part == "transfer") {
        addMethods(RegalTask::Memory, RegalSet::Networks);
        addMethods(RegalTask::Time, RegalSet::Networks);
        html += pages.titledTable(networkTable(results));
    } else if (part == "noise") {
        html = pages.table(noiseTable(results));
    }
    return html;
}

}  // namespace

ExperimentReport regalReport(const RegalResults& results,
                             const std::vector<std::pair<std::string, std::string>>& missing) {
    ExperimentReport report{.page = {.title = "Learned mutants for scheduling: the REGAL paper's evaluation, repeated",
                                     .subtitle = subtitleOf(results.plan()),
                                     .warnings = {},
                                     .introduction = RegalIntroduction,
                                     .sections = {},
                                     .closing = {}},
                            .claims = regalClaims(results),
                            .files = {{"runs.csv", regalRunsCsv(results)}},
                            .text = {},
                            .json = regalJson(results)};
    ReportPages pages(report);
    for (const RegalPart& part : regalParts()) {
        if (results.plan().hasPart(part.name))
            pages.section(part.name, part.title, partHtml(results, part.name, pages));
    }
    pages.section("models", "The models",
                  pages.table(modelTable(results)) + reasonList("Methods without runs", missing) +
                      reasonList("Files that are not used", results.models().ignored()));
    if (!missing.empty()) {
        std::vector<std::string> names;
        for (const auto& [name, reason] : missing) names.push_back(name);
        report.page.warnings.push_back(fmt::format(
            "There are no runs of these methods, for reasons below under The models: {}.", fmt::join(names, ", ")));
    }
    report.failures = missing;
    pages.section("paper", "The paper's numbers", pages.table(paperTable(results)));
    return report;
}

}  // namespace mitos::search::experiments
