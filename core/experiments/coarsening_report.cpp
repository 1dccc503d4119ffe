// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/coarsening_report.h"

#include "core/base/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

namespace mitos::experiments {

namespace {

struct Column {
    const char* tool;
    const char* title;
};
constexpr std::array<Column, 7> Columns{{{"primal", "primal"},
                                         {"plain", "reverse"},
                                         {"without", "segments"},
                                         {"coarsened", "coarsened"},
                                         {"dual numbers", "dual numbers"},
                                         {"ADOL-C", "ADOL-C"},
                                         {"Ceres jets", "Ceres jets"}}};

/// A time with three significant digits and its unit.
std::string timeText(double seconds) {
    if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
    if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
    return fmt::format("{:.3g} ms", seconds * 1e3);
}

std::string ratio(const ToolTime* over, const ToolTime* under, std::string_view otherwise = "–") {
    if (over == nullptr || under == nullptr || under->median <= 0.0) return std::string(otherwise);
    return fmt::format("{:.3g}×", over->median / under->median);
}

const ToolTime* fastestLibrary(const ConfigurationTimes& configuration) {
    const ToolTime* fastest = nullptr;
    for (const char* tool : {"ADOL-C", "Ceres jets"}) {
        const ToolTime* time = configuration.find(tool);
        if (time != nullptr && (fastest == nullptr || time->median < fastest->median)) fastest = time;
    }
    return fastest;
}

double mostApart(const ConfigurationTimes& configuration) {
    double most = 0.0;
    for (const ToolTime& time : configuration.tools) most = time.apart <= most ? most : time.apart;  // also for NaN
    return most;
}

std::vector<std::vector<std::string>> rows(const CoarseningResults& results) {
    std::vector<std::vector<std::string>> all;
    std::vector<std::string> head{"benchmark"};
    for (const Column& column : Columns) head.emplace_back(column.title);
    head.insert(head.end(), {"speed-up", "paper", "to the fastest library", "gradients apart"});
    all.push_back(std::move(head));
    for (const CoarseningRun& run : results.runs) {
        for (std::size_t c = 0; c < run.configurations.size(); ++c) {
            const ConfigurationTimes& configuration = run.configurations[c];
            std::vector<std::string> row{fmt::format("{}, {}", run.benchmark->name, configuration.name)};
            for (const Column& column : Columns) {
                const ToolTime* time = configuration.find(column.tool);
                row.push_back(time == nullptr ? "–" : timeText(time->median));
            }
            const ToolTime* coarsened = configuration.find("coarsened");
            row.push_back(ratio(configuration.find("plain"), coarsened));
            row.push_back(c < 3 ? fmt::format("{:.3g}×", run.benchmark->paperDifferentiation[c]) : "–");
            row.push_back(ratio(fastestLibrary(configuration), coarsened));
            row.push_back(fmt::format("{:.1g}", mostApart(configuration)));
            all.push_back(std::move(row));
        }
    }
    return all;
}

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

}  // namespace

std::string coarseningTable(const CoarseningResults& results) {
    const std::vector<std::vector<std::string>> all = rows(results);
    std::vector<std::size_t> widths(all.front().size(), 0);
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
    return text + failures(results);
}

std::string coarseningCsv(const CoarseningResults& results) {
    std::string text = "benchmark,configuration,tool,median,lowest,highest,calls,gradient_apart\n";
    for (const CoarseningRun& run : results.runs) {
        for (const ConfigurationTimes& configuration : run.configurations) {
            for (const ToolTime& time : configuration.tools) {
                text += fmt::format("{},{},{},{},{},{},{},{}\n", run.benchmark->name, configuration.name, time.tool,
                                    time.median, time.lowest, time.highest, time.calls, time.apart);
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
    text += fmt::format(
        "{}. Compiled by {}. Libraries: {}. Processor time, medians of alternating calls in one process.\n\n", machine,
        results.compiler,
        results.libraries.empty() ? "none found" : fmt::format("{}", fmt::join(results.libraries, ", ")));
    const std::vector<std::vector<std::string>> all = rows(results);
    for (std::size_t r = 0; r < all.size(); ++r) {
        text += fmt::format("| {} |\n", fmt::join(all[r], " | "));
        if (r > 0) continue;
        for (std::size_t i = 0; i < all[r].size(); ++i) text += i == 0 ? "|---" : "|---:";
        text += "|\n";
    }
    text +=
        "\n*reverse*: reverse mode of the program as written. *segments*: segments are differentiated as wholes, and "
        "loops stay loops "
        "(without φ-calculus). *coarsened*: loops have their closed forms. *speed-up*: reverse over coarsened; "
        "*paper*: Table 3, "
        "differentiation, server. *gradients apart*: the largest difference of any tool from dual numbers, relative to "
        "the largest "
        "element.\n\n";
    for (const CoarseningRun& run : results.runs) {
        if (!run.failure.empty()) continue;
        text +=
            fmt::format("* {}: {}, {} to the symbolic form, {} for the symbolic work\n", run.benchmark->name,
                        run.isWhole ? "the whole function is one segment" : fmt::format("{} segments", run.segments),
                        run.steps == 1 ? "1 step" : fmt::format("{} steps", run.steps), timeText(run.symbolicSeconds));
    }
    for (const CoarseningRun& run : results.runs) {
        if (run.benchmark->constants == nullptr || !run.failure.empty()) continue;
        text += fmt::format(
            "\n{}: *coarsened* has a function for each configuration, in which the number of steps is a constant "
            "({}.ks); what is said of its steps is of the last one.\n",
            run.benchmark->name, run.benchmark->constants);
    }
    if (const std::string failed = failures(results); !failed.empty()) text += "\nNot measured:\n\n" + failed;
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
