// SPDX-License-Identifier: GPL-3.0-or-later
// A table of runs: grouped over their seeds, and written as CSV, JSON, Markdown or LaTeX.
#pragma once

#include "core/timing/time_ratio.h"
#include "search/compare/summary.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search {

/// The time of a run's result as a whole model, in alternation with its start.
struct WholeTime {
    double seconds = 0.0;          ///< median
    double startSeconds = 0.0;     ///< of the start
    timing::TimeRatio ratio = {};  ///< of the result to the start
    std::string runtime = {};      ///< "ONNX Runtime 1.32.0"
};

/// The state of its program where a search began, if that is not the program's start. Gains are against the program's start all the same.
struct Beginning {
    std::string name;        ///< "state 52", or the user's name for it
    double startCost = 0.0;  ///< of the program's start, under the search's cost model
};

/// A run with the name of its program.
struct TableRun {
    std::string program;
    const Run* run = nullptr;
    std::optional<WholeTime> time = {};  ///< nothing: its result was not timed
    std::optional<Beginning> from = {};  ///< nothing: it began at the program's start
};
/// The runs of the comparison, which must outlive them.
[[nodiscard]] std::vector<TableRun> tableRunsOf(const Comparison& comparison);

/// Runs that differ only in their seed. Numbers are over those that finished.
struct RunGroup {
    std::string program;
    std::vector<const Run*> runs;                 ///< in the order given; at least one
    std::vector<std::optional<WholeTime>> times;  ///< by run
    std::size_t finished = 0;
    const Run* best = nullptr;      ///< of least cost, then the first; null if none finished
    Spread cost;                    ///< of the best costs; as the numbers below, 0 if none finished
    double initialCost = 0.0;       ///< of the state where its runs began
    std::optional<Beginning> from;  ///< nothing: they began at the program's start
    double nearBestSeconds = 0.0;   ///< median time until a run's cost was within 1 % of its best
    double seconds = 0.0;           ///< medians, from here on
    double evaluations = 0.0;
    double states = 0.0;
    double memoryBytes = 0.0;
    std::size_t judged = 0;  ///< runs with a verdict
    std::size_t good = 0;    ///< with a verdict that isGood()
    std::size_t refuted = 0;
    std::vector<std::string> stops;  ///< why they ended, each reason once, in the words of labelOf(); errors included

    /// A run with the settings that all its runs share.
    [[nodiscard]] const Run& asked() const { return *runs.front(); }
    /// The cost of the program's start, which gains are against.
    [[nodiscard]] double startCost() const { return from ? from->startCost : initialCost; }
    /// The times of its best run if it was timed, else of the first that was; nothing if none was.
    [[nodiscard]] std::optional<WholeTime> time() const;
};
/// The groups in the order of their first runs. A group is of one program, start, strategy, budget, cost model, and set of rules. The
/// runs must outlive it.
[[nodiscard]] std::vector<RunGroup> groupedRuns(std::span<const TableRun> runs);

/// "gemm", "gemm, from state 52": what is searched. Results of different subjects are not compared.
[[nodiscard]] std::string subjectOf(const std::string& program, const std::optional<Beginning>& from);

/// How people call the run's strategy; its name if there is no description of it.
[[nodiscard]] std::string strategyLabel(const Run& run, std::span<const StrategyInfo> strategies);
/// The run's parameters that differ from the defaults of its strategy: "depth = 30, alpha = 5"; all if there is no description of it.
[[nodiscard]] std::string ownParameters(const Run& run, std::span<const StrategyInfo> strategies);
/// The verdicts of the group in words: "5 of 5 checked", "1 of 5 WRONG, 4 checked", "not judged".
[[nodiscard]] std::string verdictsText(const RunGroup& group);

/// Escapes a text so that Markdown shows it literally, in one line, without markup, links, HTML or cell separators.
[[nodiscard]] std::string markdownText(std::string_view text);

enum class TableFormat : std::uint8_t { Csv, Json, Markdown, Latex };
/// The format of a file by the ending of its name: .csv, .json, .md, .tex.
[[nodiscard]] std::optional<TableFormat> tableFormatOf(std::string_view fileName);
/// The table. CSV and JSON have a row for each run, with exact numbers and the names that the command line takes; Markdown and LaTeX,
/// which people read, a row for each group. Columns about measured times are there if a result was timed. `unit` is
/// that of costs; the strategies are fitted to the programs' dialect.
[[nodiscard]] std::string writeTable(std::span<const RunGroup> groups, TableFormat format, const std::string& unit,
                                     std::span<const StrategyInfo> strategies);

}  // namespace mitos::search
