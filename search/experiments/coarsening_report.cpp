// SPDX-License-Identifier: GPL-3.0-or-later
// See coarsening_report.h.
#include "search/experiments/coarsening_report.h"

#include "search/experiments/coarsening_claims.h"
#include "search/experiments/coarsening_record.h"
#include "search/experiments/coarsening_tables.h"
#include "search/experiments/csv_table.h"
#include "search/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace mitos::search::experiments {

namespace {

std::string runsCsv(const CoarseningResults& results) {
    CsvTable csv(
        {"benchmark", "configuration", "measure", "tool", "median", "lowest", "highest", "spread", "calls", "apart"});
    for (const CoarseningRun& run : results.runs) {
        for (const ConfigurationTimes& times : run.configurations) {
            const std::pair<const char*, const std::vector<ToolTime>*> measures[]{
                {"gradient", &times.gradient},
                {"differentiation", &times.differentiation},
                {"iteration", &times.iteration},
            };
            for (const auto& [measure, measured] : measures) {
                for (const ToolTime& time : *measured) {
                    csv.add({run.benchmark->name, times.name, measure, time.tool,
                             CsvTable::number(time.call.seconds.median), CsvTable::number(time.call.seconds.least),
                             CsvTable::number(time.call.seconds.most), CsvTable::number(time.spread()),
                             fmt::format("{}", time.calls()), CsvTable::number(time.apart)});
                }
            }
        }
    }
    return csv.text();
}

constexpr const char* Introduction =
    "<p>Times are processor times, medians of alternating calls in one process; ± is half the distance between the "
    "quartiles. "
    "<em>reverse</em> is Mitos' own reverse mode of the program as written, and <em>coarsened</em> its gradient with "
    "segments and closed "
    "forms of loops; a gradient contains the part of the primal that it needs. <em>primal</em> is the function as "
    "written. All times, in "
    "seconds, are in <code>runs.csv</code>.</p>\n";

}  // namespace

std::string librariesText(const CoarseningTools& tools) {
    const std::vector<std::string> found = tools.foundLibraries();
    std::string text = fmt::format("{}.", found.empty() ? "none found" : fmt::format("{}", fmt::join(found, ", ")));
    std::vector<std::string> unpackaged;
    for (const LibraryInfo& library : tools.libraries) {
        const std::string_view package = library.package;
        if (package.empty())
            unpackaged.emplace_back(library.name);
        else if (!library.isFound)
            text += fmt::format(" {} was not found (Debian: {}).", library.name, package);
    }
    if (!unpackaged.empty()) text += fmt::format(" Not in Debian 12: {}.", fmt::join(unpackaged, ", "));
    return text;
}

std::string coarseningSummary(const CoarseningRun& run) {
    std::vector<std::string> speedUps;
    for (const ConfigurationTimes& times : run.configurations) {
        const ToolTime* const reverse = find(times.gradient, VariantName::Reverse);
        const ToolTime* const coarsened = find(times.gradient, VariantName::Coarsened);
        const double ratio = speedUp(reverse, coarsened);
        if (ratio > 0.0) speedUps.push_back(fmt::format("{:.3g}×", ratio));
    }
    return fmt::format("gradient {} over reverse mode", fmt::join(speedUps, ", "));
}

ExperimentReport coarseningReport(const CoarseningResults& results, const std::vector<std::string>& parts) {
    ExperimentReport report{.page = {.title = "Gradients with and without coarsening: the paper's evaluation, repeated",
                                     .subtitle = report::plural(results.runs.size(), "benchmark", "benchmarks"),
                                     .warnings = {},
                                     .introduction = Introduction,
                                     .sections = {},
                                     .closing = {}},
                            .claims = coarseningClaims(results),
                            .files = {{"runs.csv", runsCsv(results)}},
                            .text = terminalText(speedUps(results)),
                            .json = coarseningJson(results)};
    for (const ReportTable& table : coarseningTables(results)) {
        if (!parts.empty() && std::ranges::find(parts, table.name) == parts.end()) continue;
        report.page.sections.push_back({table.name, table.title, tableHtml(table)});
        report.files.push_back({table.name + ".csv", tableCsv(table)});
    }
    report.isRight = std::ranges::all_of(results.runs, [](const CoarseningRun& run) {
        return std::ranges::all_of(run.configurations,
                                   [](const ConfigurationTimes& times) { return mostApart(times) <= MostApart; });
    });
    return report;
}

}  // namespace mitos::search::experiments
