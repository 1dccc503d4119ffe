// SPDX-License-Identifier: GPL-3.0-or-later
// See pypm_report.h.
#include "search/experiments/pypm_report.h"

#include "search/experiments/pypm_charts.h"
#include "search/experiments/pypm_claims.h"
#include "search/experiments/pypm_tables.h"
#include "search/experiments/report_pages.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mitos::search::experiments {

namespace {

constexpr const char* PypmIntroduction =
    "<p>Each model is compiled four times by PyPM's greedy pass: with no rule, with the rules of "
    "<em>attention</em> (multi-head attention becomes one operator), with those of <em>epilogs</em> (an activation "
    "becomes "
    "part of the product, the convolution or the addition that it follows), and with both. The rules come from one "
    "rule set, "
    "chosen by the tags <code>attention</code> and <code>epilog</code>. Every thread is replayed by the checker, and "
    "values "
    "are compared within a time limit.</p>\n";

std::string howMeasured(const PypmResults& results) {
    const PypmPlan& plan = results.plan();
    std::string text = "<p>";
    bool isRun = false;
    for (const auto& [model, record] : results.entries()) isRun = isRun || !record.times.empty();
    if (isRun) {
        text +=
            "Speed-ups are measured: all compilations of a model alternate in one process of ONNX Runtime on one "
            "processor. At level <em>all</em> it fuses operators by itself, too, before it runs a model; at level "
            "<em>basic</em> it does not, as a compiler without these optimizations. Compilations that are the same "
            "program are timed once.";
    } else {
        text += fmt::format(
            "No model was run{}{}. <strong>All speed-ups are those of the cost model</strong> and say nothing about "
            "time "
            "beyond it.",
            plan.whyNot.empty() ? "" : ": ", report::escaped(plan.whyNot));
    }
    return text +
           "</p>\n<p>Matching time is the processor time of a whole pass, rewriting included; reading, checking and "
           "pricing are not part of it.</p>\n";
}

nlohmann::ordered_json pypmJson(const PypmResults& results) {
    nlohmann::ordered_json models = nlohmann::ordered_json::array();
    for (const auto& [model, record] : results.entries()) {
        nlohmann::ordered_json compilations = nlohmann::ordered_json::array();
        for (const PypmCompilationInfo& info : pypmCompilations()) {
            const PypmPass& pass = PypmResults::pass(record, info.compilation);
            nlohmann::ordered_json speedups = nlohmann::ordered_json::object();
            for (const PypmMeasure& measure : results.measures()) {
                if (const auto one = PypmResults::speedup(record, measure, info.compilation))
                    speedups[measure.name] = one->value;
            }
            compilations.push_back({{"compilation", info.name},
                                    {"matches", pass.matches()},
                                    {"seconds", pass.medianSeconds()},
                                    {"fixed_point", pass.isFixedPoint},
                                    {"verdict", pass.verdict},
                                    {"speedups", std::move(speedups)}});
        }
        models.push_back({{"model", model->title},
                          {"suite", model->suite},
                          {"nodes", record.nodes},
                          {"runtime", record.runtime},
                          {"compilations", std::move(compilations)}});
    }
    return {{"models", std::move(models)}};
}

}  // namespace

ExperimentReport pypmReport(const PypmResults& results) {
    const PypmPlan& plan = results.plan();
    ExperimentReport report{
        .page = {.title = "Attention and epilogs: the PyPM paper's evaluation, repeated",
                 .subtitle = fmt::format("{}, four compilations each, rules {}",
                                         report::plural(plan.models.size(), "model", "models"), plan.ruleSets),
                 .warnings = {},
                 .introduction = PypmIntroduction + howMeasured(results),
                 .sections = {},
                 .closing = {}},
        .claims = pypmClaims(results),
        .files = {{"runs.csv", pypmRunsCsv(results)}},
        .text = {},
        .json = pypmJson(results).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
        .failures = plan.unreadable,
        .isRight = results.isRight()};
    for (const auto& [model, record] : results.entries()) {
        if (!record.timingError.empty()) report.failures.emplace_back(model->title, record.timingError);
        for (const PypmPass& pass : record.passes) {
            if (pass.isRefuted)
                report.page.warnings.push_back(fmt::format("{}, {}: {}", model->title, pass.compilation, pass.verdict));
        }
    }
    for (const auto& [name, reason] : report.failures)
        report.page.warnings.push_back(fmt::format("{}: {}", name, reason));
    ReportPages pages(report);
    if (plan.hasPart("speedups")) {
        std::string html;
        for (const PypmMeasure& measure : results.measures()) html += speedupHistograms(results, measure);
        html += pages.titledTable(speedupSummaryTable(results), true);
        for (const PypmMeasure& measure : results.measures()) html += pages.titledTable(speedupTable(results, measure));
        pages.section("speedups", pypmParts()[0].title, std::move(html));
    }
    if (plan.hasPart("matching")) {
        std::string html = matchingCharts(results) + sizeChart(results);
        html += pages.titledTable(matchingTable(results), true);
        html += pages.titledTable(pypmRuleTable(results));
        pages.section("matching", pypmParts()[1].title, std::move(html));
    }
    pages.section("paper", "The paper's numbers", pages.table(numbersTable(results.paper(), "Those in its text.")));
    return report;
}

}  // namespace mitos::search::experiments
