// SPDX-License-Identifier: GPL-3.0-or-later
// See knossos_report.h.
#include "search/experiments/knossos_report.h"

#include "search/experiments/knossos_charts.h"
#include "search/experiments/knossos_claims.h"
#include "search/experiments/knossos_tables.h"
#include "search/experiments/report_pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace mitos::search::experiments {

namespace {

constexpr const char* KnossosIntroduction =
    "<p>Costs are those of <code>ks-2021</code>, summed over the expressions that are compared. The usual rules, "
    "<code>ks-arithmetic</code>, are the paper's Table 3 and <code>a / a => 1</code>, which Table 3 as printed lacks "
    "and the paper's costs of Table 6 need. Searches make ten steps at most. An evaluation is a distinct expression "
    "that is priced. A repetition is a seed, of the training as well as of the searches. A claim about a mean holds "
    "if its whole 95 % interval does; fewer than ten repetitions do not decide it.</p>\n<p><em>potential</em> is the "
    "value function of Mitos that needs no training; <em>Terms</em> has its parts as hints, <em>Terms without "
    "hints</em> has none. All searches are in <code>runs.csv</code>, and the trained value functions in "
    "<code>models</code>.</p>\n";

nlohmann::ordered_json knossosJson(const KnossosResults& results) {
    nlohmann::ordered_json totals = nlohmann::ordered_json::array();
    for (const KnossosTaskInfo& info : knossosTasks()) {
        for (const KnossosKey& key : results.keys(info.task)) {
            for (const std::uint64_t budget : results.plan().budgets) {
                const std::vector<double> own = results.totals(key, budget);
                if (own.empty()) continue;
                const IntervalMean mean = intervalMean(own);
                totals.push_back({{"task", info.name},
                                  {"method", key.method->name},
                                  {"strategy", key.strategy},
                                  {"evaluations", budget},
                                  {"total", mean.mean},
                                  {"interval", {mean.low, mean.high}},
                                  {"totals", own}});
            }
        }
    }
    return {{"totals", std::move(totals)}};
}

std::string missingHtml(const std::vector<std::pair<std::string, std::string>>& missing) {
    if (missing.empty()) return {};
    std::string html = "<h3>Methods without runs</h3>\n<ul>\n";
    for (const auto& [name, reason] : missing)
        html += fmt::format("<li><strong>{}</strong>: {}</li>\n", report::escaped(name), report::escaped(reason));
    return html + "</ul>\n";
}

}  // namespace

ExperimentReport knossosReport(const KnossosResults& results,
                               const std::vector<std::pair<std::string, std::string>>& missing) {
    const KnossosPlan& plan = results.plan();
    ExperimentReport report{
        .page = {.title = "A learned value function on arithmetic: the Knossos paper's evaluation, repeated",
                 .subtitle = fmt::format("{}, {} epochs, up to {} evaluations of each program",
                                         report::plural(plan.repetitions, "repetition", "repetitions"), plan.epochs,
                                         groupedText(plan.mostEvaluations())),
                 .warnings = {},
                 .introduction = KnossosIntroduction,
                 .sections = {},
                 .closing = {}},
        .claims = knossosClaims(results),
        .files = {{"runs.csv", knossosRunsCsv(results)}},
        .text = {},
        .json = knossosJson(results).dump(),
        .failures = missing,
        .isRight = results.isRight()};
    ReportPages pages(report);
    for (const KnossosTaskInfo& info : knossosTasks()) {
        if (!results.has(info.task)) continue;
        std::string html = knossosEpochCharts(results, info.task);
        html += pages.titledTable(totalsTable(results, info.task), true);
        html += knossosBudgetCharts(results, info.task);
        html += pages.titledTable(gainsTable(results, info.task));
        html += pages.titledTable(effortTable(results, info.task), true);
        html += pages.titledTable(programTable(results, info.task));
        pages.section(info.name, fmt::format("{} ({})", info.title, info.figure), std::move(html));
    }
    pages.section("training", "The trainings",
                  pages.table(trainingTable(results)) + knossosSpeedChart(results) + missingHtml(missing));
    if (!missing.empty()) {
        std::vector<std::string> names;
        for (const auto& [name, reason] : missing) names.push_back(name);
        report.page.warnings.push_back(fmt::format(
            "There are no runs of these methods, for reasons below under The trainings: {}.", fmt::join(names, ", ")));
    }
    pages.section("paper", "The paper's numbers",
                  pages.table(numbersTable(results.paper(), "Totals of costs, and the settings of the paper's runs.")));
    return report;
}

}  // namespace mitos::search::experiments
