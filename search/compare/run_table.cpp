// SPDX-License-Identifier: GPL-3.0-or-later
// See run_table.h.
#include "search/compare/run_table.h"

#include "core/base/csv.h"
#include "core/base/printable.h"
#include "core/base/readable_number.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

namespace mitos::search {

namespace {

constexpr double BytesPerMegabyte = 1024.0 * 1024.0;
constexpr double Percent = 100.0;

/// The settings that the runs of a group share.
auto question(const TableRun& one) {
    const Run& run = *one.run;
    return std::tie(one.program, run.startState, run.strategy, run.parameters, run.rules, run.costModel,
                    run.budget.evaluations, run.budget.seconds, run.budget.states, run.budget.memoryBytes,
                    run.allowsAssumptions, run.appliesFailedRules);
}

std::string stopLabel(const Run& run) {
    if (run.state == RunState::NotRun) return "not run";
    if (run.state == RunState::Interrupted) return "interrupted";
    std::optional<StopReason> reason = stopReasonNamed(run.stop);
    // Earlier versions had one reason for both limits.
    if (reason == StopReason::Depth && run.parameters.contains("iterations") && !run.parameters.contains("depth"))
        reason = StopReason::Iterations;
    return reason ? labelOf(*reason) : run.stop;
}

void summarize(RunGroup& group) {
    std::vector<const Run*> done;
    for (const Run* run : group.runs) {
        if (run->state == RunState::Finished) done.push_back(run);
        if (run->state == RunState::Running) continue;
        std::string stop = stopLabel(*run);
        if (std::ranges::find(group.stops, stop) == group.stops.end()) group.stops.push_back(std::move(stop));
    }
    group.finished = done.size();
    group.initialCost = group.asked().initialCost;
    if (done.empty()) return;
    const auto median = [&done](const auto& number) {
        std::vector<double> numbers;
        for (const Run* run : done) numbers.push_back(number(*run));
        return spreadOf(std::move(numbers));
    };
    group.best = *std::ranges::min_element(done, {}, [](const Run* run) { return run->bestCost; });
    group.initialCost = group.best->initialCost;
    group.cost = median([](const Run& run) { return run.bestCost; });
    group.seconds = median([](const Run& run) { return run.statistics.seconds; }).median;
    group.evaluations = median([](const Run& run) { return static_cast<double>(run.statistics.evaluations); }).median;
    group.states = median([](const Run& run) { return static_cast<double>(run.statistics.states); }).median;
    group.memoryBytes = median([](const Run& run) { return static_cast<double>(run.statistics.memoryBytes); }).median;
    group.nearBestSeconds = median([](const Run& run) {
                                const std::vector<Improvement> curve = curveOf(run);
                                return curve.empty() ? 0.0 : nearBest(curve).seconds;
                            }).median;
    const auto count = [&done](const auto& holds) {
        return static_cast<std::size_t>(
            std::ranges::count_if(done, [&](const Run* run) { return run->verdict && holds(*run->verdict); }));
    };
    group.judged = count([](const rewrite::Verdict&) { return true; });
    group.good = count([](const rewrite::Verdict& verdict) { return verdict.isGood(); });
    group.refuted = count([](const rewrite::Verdict& verdict) { return verdict.isRefuted(); });
}

const StrategyInfo* infoOf(const Run& run, std::span<const StrategyInfo> strategies) {
    const auto found = std::ranges::find(strategies, run.strategy, &StrategyInfo::name);
    return found == strategies.end() ? nullptr : &*found;
}

std::string parametersText(const ParameterValues& values) {
    std::string text;
    for (const auto& [name, value] : values) {
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, parameterText(value));
    }
    return text;
}

// --- a row for each run -------------------------------------------------------------------------------------------------

using Field = std::variant<std::monostate, std::string, double, std::uint64_t, bool>;  // monostate: not known
using Row = std::vector<std::pair<std::string_view, Field>>;

template <typename Number>
Field optionalField(const std::optional<Number>& number) {
    return number ? Field(*number) : Field();
}

/// The columns of measured times; empty values if it was not timed.
Row timesRowOf(const std::optional<WholeTime>& time) {
    const auto field = [&](const auto& value) { return time ? Field(value(*time)) : Field(); };
    return {{"measured_seconds", field([](const WholeTime& t) { return t.seconds; })},
            {"measured_start_seconds", field([](const WholeTime& t) { return t.startSeconds; })},
            {"measured_ratio", field([](const WholeTime& t) { return t.ratio.value; })},
            {"measured_ratio_low", field([](const WholeTime& t) { return t.ratio.low; })},
            {"measured_ratio_high", field([](const WholeTime& t) { return t.ratio.high; })},
            {"measured_with", field([](const WholeTime& t) { return t.runtime; })}};
}

bool hasTimes(std::span<const RunGroup> groups) {
    return std::ranges::any_of(groups, [](const RunGroup& group) { return group.time().has_value(); });
}

Row rowOf(const std::string& program, const Run& run, const std::optional<Beginning>& from, const std::string& unit) {
    const std::vector<Improvement> curve = curveOf(run);
    const bool done = run.state == RunState::Finished;
    const bool found = done && !curve.empty();
    const auto ifDone = [done](auto value) { return done ? Field(value) : Field(); };
    const rewrite::Verdict* verdict = run.verdict ? &*run.verdict : nullptr;
    const double start = from ? from->startCost : run.initialCost;
    return {
        {"program", program},
        {"strategy", run.strategy},
        {"parameters", parametersText(run.parameters)},
        {"seed", run.seed},
        {"limit_evaluations", optionalField(run.budget.evaluations)},
        {"limit_seconds", optionalField(run.budget.seconds)},
        {"limit_states", optionalField(run.budget.states)},
        {"limit_memory_bytes", optionalField(run.budget.memoryBytes)},
        {"rules", run.rules},
        {"cost_model", run.costModel},
        {"unit", unit},
        {"stop", run.state == RunState::NotRun ? "not run" : run.stop},
        {"from", from ? from->name : "start"},
        {"start_cost", ifDone(start)},
        {"initial_cost", ifDone(run.initialCost)},
        {"best_cost", ifDone(run.bestCost)},
        {"change_percent", done && start != 0.0 ? Field(Percent * (run.bestCost - start) / std::abs(start)) : Field()},
        {"steps", verdict != nullptr ? Field(std::uint64_t{verdict->steps}) : Field()},
        {"outcome", run.outcomeKind.empty() ? Field() : Field(run.outcomeKind + ": " + run.outcomeSummary)},
        {"evaluations", ifDone(run.statistics.evaluations)},
        {"states", ifDone(run.statistics.states)},
        {"memory_bytes", ifDone(run.statistics.memoryBytes)},
        {"seconds", ifDone(run.statistics.seconds)},
        {"seconds_to_within_1_percent", found ? Field(nearBest(curve).seconds) : Field()},
        {"evaluations_to_within_1_percent", found ? Field(nearBest(curve).evaluations) : Field()},
        {"seconds_to_best", found ? Field(curve.back().seconds) : Field()},
        {"evaluations_to_best", found ? Field(curve.back().evaluations) : Field()},
        {"thread_checked", verdict != nullptr ? Field(verdict->isThreadChecked) : Field()},
        {"values", verdict != nullptr ? Field(std::string(rewrite::toString(verdict->values))) : Field()},
        {"verdict", verdict != nullptr ? Field(verdict->toString()) : Field()}};
}

std::string csvCell(const Field& field) {
    if (const auto* text = std::get_if<std::string>(&field)) return csvText(*text);
    if (const auto* number = std::get_if<double>(&field)) return fmt::format("{}", *number);
    if (const auto* count = std::get_if<std::uint64_t>(&field)) return fmt::format("{}", *count);
    if (const auto* is = std::get_if<bool>(&field)) return *is ? "true" : "false";
    return {};
}

std::vector<Row> rowsOf(std::span<const RunGroup> groups, const std::string& unit) {
    std::vector<Row> rows;
    const bool isTimed = hasTimes(groups);
    for (const RunGroup& group : groups) {
        for (std::size_t i = 0; i < group.runs.size(); ++i) {
            Row& row = rows.emplace_back(rowOf(group.program, *group.runs[i], group.from, unit));
            if (isTimed) std::ranges::move(timesRowOf(group.times[i]), std::back_inserter(row));
        }
    }
    return rows;
}

std::string csvOf(std::span<const RunGroup> groups, const std::string& unit) {
    std::string text;
    Row titles = rowOf({}, Run(), {}, {});
    if (hasTimes(groups)) std::ranges::move(timesRowOf(std::nullopt), std::back_inserter(titles));
    for (const auto& [title, field] : titles) text += (text.empty() ? "" : ",") + std::string(title);
    text += "\r\n";
    for (const Row& row : rowsOf(groups, unit)) {
        bool isFirst = true;
        for (const auto& [title, field] : row) {
            if (!std::exchange(isFirst, false)) text += ',';
            text += csvCell(field);
        }
        text += "\r\n";
    }
    return text;
}

std::string jsonOf(std::span<const RunGroup> groups, const std::string& unit) {
    auto list = nlohmann::ordered_json::array();
    for (const Row& row : rowsOf(groups, unit)) {
        auto& object = list.emplace_back(nlohmann::ordered_json::object());
        for (const auto& [title, field] : row) {
            auto& value = object[std::string(title)];
            std::visit(
                [&value](const auto& known) {
                    if constexpr (!std::is_same_v<std::decay_t<decltype(known)>, std::monostate>) value = known;
                },
                field);
        }
    }
    return list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

// --- a row for each group -------------------------------------------------------------------------------------------------

std::string costText(double cost) { return fmt::format("{:.6g}", cost); }

std::string secondsText(double seconds) { return fmt::format("{:.3g}", seconds); }

/// The titles of columns with numbers begin with "#".
struct TextTable {
    std::vector<std::string> titles;
    std::vector<std::vector<std::string>> rows;
};

/// The median in ms, and the ratio with its interval.
std::vector<std::string> measuredCells(const std::optional<WholeTime>& time) {
    if (!time) return {"", ""};
    constexpr double PerSecond = 1000.0;
    return {fmt::format("{:.4g}", PerSecond * time->seconds),
            fmt::format("{:.3f} ({:.3f} to {:.3f})", time->ratio.value, time->ratio.low, time->ratio.high)};
}

TextTable textTable(std::span<const RunGroup> groups, const std::string& unit,
                    std::span<const StrategyInfo> strategies) {
    std::set<std::string> programs;
    for (const RunGroup& group : groups) programs.insert(group.program);
    const bool hasBeginnings =
        std::ranges::any_of(groups, [](const RunGroup& group) { return group.from.has_value(); });
    TextTable table{.titles = {"Strategy", "Parameters", "Budget", "#Seeds", "#Start (" + unit + ")",
                               "#Best, median (" + unit + ")", "#Quartiles", "#Change", "#Within 1 % (s)", "#Time (s)",
                               "#Evaluations", "#States", "#Memory (MiB)", "Ended by", "Verdicts"},
                    .rows = {}};
    const bool isTimed = hasTimes(groups);
    if (isTimed) table.titles.insert(table.titles.end() - 2, {"#Measured (ms)", "#Measured, ratio to the start"});
    if (hasBeginnings) table.titles.insert(table.titles.begin(), "From");
    if (programs.size() > 1) table.titles.insert(table.titles.begin(), "Program");
    for (const RunGroup& group : groups) {
        std::vector<std::string>& row = table.rows.emplace_back();
        if (programs.size() > 1) row.push_back(group.program);
        if (hasBeginnings) row.push_back(group.from ? group.from->name : "start");
        const Run& asked = group.asked();
        row.insert(row.end(), {strategyLabel(asked, strategies), ownParameters(asked, strategies),
                               toString(asked.budget), fmt::format("{}", group.runs.size())});
        if (group.best == nullptr) {
            row.resize(table.titles.size() - 2);
        } else {
            const double start = group.startCost();
            row.insert(
                row.end(),
                {costText(start), costText(group.cost.median),
                 group.cost.lower == group.cost.upper
                     ? ""
                     : fmt::format("{} to {}", costText(group.cost.lower), costText(group.cost.upper)),
                 changeText(start, group.cost.median), secondsText(group.nearBestSeconds), secondsText(group.seconds),
                 fmt::format("{:.0f}", group.evaluations), fmt::format("{:.0f}", group.states),
                 fmt::format("{:.3g}", group.memoryBytes / BytesPerMegabyte)});
            if (isTimed) std::ranges::move(measuredCells(group.time()), std::back_inserter(row));
        }
        row.push_back(fmt::format("{}", fmt::join(group.stops, "; ")));
        row.push_back(verdictsText(group));
    }
    return table;
}

std::string markdownOf(const TextTable& table) {
    std::string text = "|";
    std::string line = "|";
    for (const std::string_view title : table.titles) {
        const bool isNumber = title.starts_with('#');
        text += fmt::format(" {} |", markdownText(title.substr(isNumber ? 1 : 0)));
        line += isNumber ? "---:|" : "---|";
    }
    text += '\n' + line + '\n';
    for (const auto& row : table.rows) {
        text += '|';
        for (const std::string& cell : row) text += fmt::format(" {} |", markdownText(cell));
        text += '\n';
    }
    return text;
}

std::string latexText(std::string_view name) {
    std::string text;
    for (const char c : printable(name)) {
        switch (c) {
            case '\\': text += "\\textbackslash{}"; break;
            case '~': text += "\\textasciitilde{}"; break;
            case '^': text += "\\textasciicircum{}"; break;
            case '\n':
            case '\t': text += ' '; break;
            case '&':
            case '%':
            case '$':
            case '#':
            case '_':
            case '{':
            case '}': text += '\\'; [[fallthrough]];
            default: text += c;
        }
    }
    // The characters of numbers that LaTeX's text fonts lack.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> Signs{{{"−", "$-$"}, {"×", "$\\times$"}}};
    for (const auto& [sign, command] : Signs) {
        for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + command.size()))
            text.replace(at, sign.size(), command);
    }
    return text;
}

/// A table of LaTeX's own commands; columns of numbers are aligned right.
std::string latexOf(const TextTable& table) {
    std::string columns;
    std::vector<std::string> titles;
    for (const std::string_view title : table.titles) {
        const bool isNumber = title.starts_with('#');
        columns += isNumber ? 'r' : 'l';
        titles.push_back(latexText(title.substr(isNumber ? 1 : 0)));
    }
    std::string text =
        fmt::format("\\begin{{tabular}}{{{}}}\n\\hline\n{} \\\\\n\\hline\n", columns, fmt::join(titles, " & "));
    for (const auto& row : table.rows) {
        std::vector<std::string> cells;
        for (const std::string& cell : row) cells.push_back(latexText(cell));
        text += fmt::format("{} \\\\\n", fmt::join(cells, " & "));
    }
    return text + "\\hline\n\\end{tabular}\n";
}

}  // namespace

std::string markdownText(std::string_view text) {
    constexpr std::string_view Markup = "\\`*_{}[]<>#|~&$:@";
    std::string literal;
    for (const char c : printable(text)) {
        if (Markup.find(c) != std::string_view::npos) literal += '\\';
        literal += c == '\n' || c == '\t' ? ' ' : c;
    }
    return literal;
}

std::vector<TableRun> tableRunsOf(const Comparison& comparison) {
    std::vector<TableRun> runs;
    for (const ComparedRun& one : comparison.runs) runs.push_back({comparison.programs[one.program].name, &one.run});
    return runs;
}

std::vector<RunGroup> groupedRuns(std::span<const TableRun> runs) {
    std::vector<RunGroup> groups;
    std::vector<TableRun> first;
    for (const TableRun& one : runs) {
        const auto same = [&one](const TableRun& other) { return question(other) == question(one); };
        const auto found = std::ranges::find_if(first, same);
        if (found == first.end()) {
            first.push_back(one);
            RunGroup& group = groups.emplace_back();
            group.program = one.program;
            group.from = one.from;
            group.runs.push_back(one.run);
            group.times.push_back(one.time);
        } else {
            RunGroup& group = groups[static_cast<std::size_t>(found - first.begin())];
            group.runs.push_back(one.run);
            group.times.push_back(one.time);
        }
    }
    for (RunGroup& group : groups) summarize(group);
    return groups;
}

std::string subjectOf(const std::string& program, const std::optional<Beginning>& from) {
    return from ? program + ", from " + from->name : program;
}

std::optional<WholeTime> RunGroup::time() const {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i] == best && times[i]) return times[i];
    }
    const auto first = std::ranges::find_if(times, [](const auto& time) { return time.has_value(); });
    return first == times.end() ? std::nullopt : *first;
}

std::string strategyLabel(const Run& run, std::span<const StrategyInfo> strategies) {
    const StrategyInfo* info = infoOf(run, strategies);
    return info != nullptr ? info->label : run.strategy;
}

std::string ownParameters(const Run& run, std::span<const StrategyInfo> strategies) {
    const StrategyInfo* info = infoOf(run, strategies);
    ParameterValues own = run.parameters;
    std::erase_if(own, [info](const auto& entry) {
        if (info == nullptr) return false;
        const auto known = std::ranges::find(info->parameters, entry.first, &ParameterInfo::name);
        return known != info->parameters.end() && known->defaultValue == entry.second;
    });
    return parametersText(own);
}

std::string verdictsText(const RunGroup& group) {
    if (group.judged == 0) return "not judged";
    std::string text;
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (group.refuted > 0) add(fmt::format("{} of {} WRONG", group.refuted, group.runs.size()));
    if (group.good > 0) add(fmt::format("{} of {} checked", group.good, group.runs.size()));
    const std::size_t doubtful = group.judged - group.refuted - group.good;
    if (doubtful > 0) add(fmt::format("{} of {} with reservations", doubtful, group.runs.size()));
    return text;
}

std::optional<TableFormat> tableFormatOf(std::string_view fileName) {
    if (fileName.ends_with(".csv")) return TableFormat::Csv;
    if (fileName.ends_with(".json")) return TableFormat::Json;
    if (fileName.ends_with(".md")) return TableFormat::Markdown;
    if (fileName.ends_with(".tex")) return TableFormat::Latex;
    return std::nullopt;
}

std::string writeTable(std::span<const RunGroup> groups, TableFormat format, const std::string& unit,
                       std::span<const StrategyInfo> strategies) {
    switch (format) {
        case TableFormat::Csv: return csvOf(groups, unit);
        case TableFormat::Json: return jsonOf(groups, unit);
        case TableFormat::Markdown: return markdownOf(textTable(groups, unit, strategies));
        case TableFormat::Latex: return latexOf(textTable(groups, unit, strategies));
    }
    return {};
}

}  // namespace mitos::search
