// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/coarsening_report.h"

#include "core/base/csv.h"
#include "core/base/source_text.h"
#include "core/experiments/coarsening_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace mitos::experiments {

namespace {

/// Characters, not bytes, for columns of text.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string failures(const CoarseningResults& results) {
    std::string text;
    for (const CoarseningRun& run : results.runs) {
        if (!run.failure.empty()) text += fmt::format("{}: {}\n", run.benchmark->name, run.failure);
    }
    return text;
}

std::string markdown(const Table& table) {
    std::string text = fmt::format("## {}\n\n{}\n\n| {} |\n", table.title, table.text, fmt::join(table.head, " | "));
    for (std::size_t i = 0; i < table.head.size(); ++i) text += i == 0 ? "|---" : "|---:";
    text += "|\n";
    for (const std::vector<std::string>& row : table.rows) text += fmt::format("| {} |\n", fmt::join(row, " | "));
    return text + '\n';
}

/// The libraries that took part, and the others with the package that has them.
std::string librariesText(const CoarseningResults& results) {
    const std::vector<std::string> found = results.foundLibraries();
    std::string text =
        fmt::format("Libraries: {}.", found.empty() ? "none found" : fmt::format("{}", fmt::join(found, ", ")));
    std::vector<std::string> unpackaged;
    for (const LibraryInfo& library : results.libraries) {
        const std::string_view package = library.package;
        if (package.empty())
            unpackaged.emplace_back(library.name);
        else if (!library.isFound)
            text += fmt::format(" {} was not found (Debian: {}).", library.name, package);
    }
    if (!unpackaged.empty()) text += fmt::format(" Not in Debian 12: {}.", fmt::join(unpackaged, ", "));
    return text;
}

}  // namespace

std::string coarseningTable(const CoarseningResults& results) {
    const Table table = speedUps(results);
    std::vector<std::vector<std::string>> all{table.head};
    all.insert(all.end(), table.rows.begin(), table.rows.end());
    std::vector<std::size_t> widths(table.head.size(), 0);
    for (const std::vector<std::string>& row : all) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string text;
    for (const std::vector<std::string>& row : all) {
        if (table.rows.empty()) break;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string space(widths[i] - width(row[i]), ' ');
            text += i == 0 ? row[i] + space : "  " + space + row[i];
        }
        text += '\n';
    }
    for (const std::string& finding : coarseningFindings(results)) text += finding + '\n';
    return text + librariesText(results) + '\n' + failures(results);
}

std::string coarseningCsv(const CoarseningResults& results) {
    std::string text = "benchmark,configuration,measure,tool,median,lowest,highest,spread,calls,apart\n";
    for (const CoarseningRun& run : results.runs) {
        for (const ConfigurationTimes& times : run.configurations) {
            const std::pair<const char*, const std::vector<ToolTime>*> measures[]{
                {"gradient", &times.gradient},
                {"differentiation", &times.differentiation},
                {"iteration", &times.iteration},
            };
            for (const auto& [measure, measured] : measures) {
                for (const ToolTime& time : *measured) {
                    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csvText(run.benchmark->name),
                                        csvText(times.name), measure, csvText(time.tool), time.call.seconds.median,
                                        time.call.seconds.least, time.call.seconds.most, time.spread(), time.calls(),
                                        time.apart);
                }
            }
        }
    }
    return text;
}

Status writeCoarseningReport(const CoarseningResults& results, const std::string& machine, const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Error{ErrorCode::Io, fmt::format("{} cannot be made: {}", folder, error.message())};
    std::string text = "# Gradients of six benchmarks, with and without coarsening\n\n";
    for (const std::string& finding : coarseningFindings(results)) text += "* " + finding + '\n';
    if (const std::string failed = failures(results); !failed.empty()) text += "\nNot measured:\n\n" + failed;
    text += fmt::format(
        "\n{}. Compiled by {}. {}\n\nTimes are processor times, medians of alternating calls in one process, {:g} s a "
        "configuration; ± is half the distance between the quartiles. *reverse* is Mitos' own reverse mode of "
        "the program as written, and *coarsened* its gradient with segments and closed forms of loops; a gradient "
        "contains the part of the primal that it needs. *primal* is the function as written. All times are in "
        "`times.csv`.\n\n",
        machine, results.compiler, librariesText(results), results.secondsPerConfiguration);
    for (const Table& table : coarseningTables(results)) text += markdown(table);
    text.pop_back();
    MITOS_REQUIRE(writeFile(folder + "/report.md", text));
    return writeFile(folder + "/times.csv", coarseningCsv(results));
}

bool allGradientsAgree(const CoarseningResults& results) {
    return std::ranges::all_of(results.runs, [](const CoarseningRun& run) {
        return run.failure.empty() && std::ranges::all_of(run.configurations, [](const ConfigurationTimes& times) {
                   return mostApart(times) <= MostApart;
               });
    });
}

}  // namespace mitos::experiments
