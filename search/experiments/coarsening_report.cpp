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

/// Characters, not bytes, for columns of text.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// The table for the terminal.
std::string terminalText(const CoarseningTable& table) {
    if (table.rows.empty()) return {};
    std::vector<std::vector<std::string>> all{table.head};
    all.insert(all.end(), table.rows.begin(), table.rows.end());
    std::vector<std::size_t> widths(table.head.size(), 0);
    for (const std::vector<std::string>& row : all) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string text;
    for (const std::vector<std::string>& row : all) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string space(widths[i] - width(row[i]), ' ');
            text += i == 0 ? row[i] + space : "  " + space + row[i];
        }
        text += '\n';
    }
    return text + '\n';
}

/// Text as HTML, with *emphasis* and `code`.
std::string marked(std::string_view text) {
    std::string html;
    bool isEmphasized = false;
    bool isCode = false;
    for (const char c : report::escaped(text)) {
        if (c == '*') {
            html += isEmphasized ? "</em>" : "<em>";
            isEmphasized = !isEmphasized;
        } else if (c == '`') {
            html += isCode ? "</code>" : "<code>";
            isCode = !isCode;
        } else {
            html += c;
        }
    }
    if (isEmphasized) html += "</em>";
    if (isCode) html += "</code>";
    return html;
}

std::string sectionHtml(const CoarseningTable& table) {
    std::vector<std::string> titles;
    for (const std::string& title : table.head) titles.push_back((titles.empty() ? "" : "#") + report::escaped(title));
    report::Table html(titles);
    for (const std::vector<std::string>& row : table.rows) {
        std::vector<std::string> cells;
        for (const std::string& cell : row) cells.push_back(report::escaped(cell));
        html.add(cells);
    }
    return "<p>" + marked(table.text) + "</p>\n" + html.html();
}

std::string tableCsv(const CoarseningTable& table) {
    CsvTable csv(table.head);
    for (const std::vector<std::string>& row : table.rows) csv.add(row);
    return csv.text();
}

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
    for (const CoarseningTable& table : coarseningTables(results)) {
        if (!parts.empty() && std::ranges::find(parts, table.name) == parts.end()) continue;
        report.page.sections.push_back({table.name, table.title, sectionHtml(table)});
        report.files.push_back({table.name + ".csv", tableCsv(table)});
    }
    report.isRight = std::ranges::all_of(results.runs, [](const CoarseningRun& run) {
        return std::ranges::all_of(run.configurations,
                                   [](const ConfigurationTimes& times) { return mostApart(times) <= MostApart; });
    });
    return report;
}

}  // namespace mitos::search::experiments
