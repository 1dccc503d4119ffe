// SPDX-License-Identifier: GPL-3.0-or-later
// See timing.h.
#include "app/cli/timing.h"

#include "app/cli/search_options.h"
#include "core/base/time_unit.h"
#include "core/onnx/time_programs.h"
#include "core/timing/expectation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::cli {

namespace {

constexpr double LongestRun = 3600.0;
constexpr int MostThreads = 1024;
/// The cost model whose costs are sums of operators' times.
constexpr std::string_view MeasuredModel = "measured";

/// A unit in which a time has at least one digit before the point.
std::pair<double, std::string_view> unitFor(double seconds) {
    constexpr double Milli = 1e-3;
    constexpr double Micro = 1e-6;
    if (seconds >= 1.0) return {1.0, "s"};
    if (seconds >= Milli) return {Milli, "ms"};
    return {Micro, "µs"};
}

/// A column of a table, padded by the number of characters rather than of bytes.
std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}
std::string padded(const std::string& text, std::size_t width) {
    return std::string(width - std::min(width, characters(text)), ' ') + text;
}

/// Whether costs expected something else than was measured.
bool disagree(const std::optional<double>& first, const std::optional<double>& other, const timing::TimeRatio& ratio) {
    const std::optional<timing::Expectation> expectation = timing::expectationOf(first, other, ratio);
    return expectation && !expectation->isMet();
}

/// Prints a sentence if costs expected something else than was measured.
void printUnexpected(const std::string& who, const std::optional<double>& first, const std::optional<double>& other,
                     const timing::TimeRatio& ratio, std::string_view what) {
    if (const auto expectation = timing::expectationOf(first, other, ratio); expectation && !expectation->isMet())
        fmt::print("{}\n", timing::expectationText(who, *expectation, what));
}

std::string numberText(const std::optional<double>& number) { return number ? fmt::format("{:.5g}", *number) : "-"; }
Json numberJson(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

/// Compares a file with the first in a sentence.
std::string comparison(const TimedFile& first, const TimedFile& file, const timing::TimeRatio& ratio) {
    const std::string interval = fmt::format("{:.3f} to {:.3f}, with a confidence of 95 %", ratio.low, ratio.high);
    if (!ratio.isFaster() && !ratio.isSlower()) {
        return fmt::format("No difference beyond noise between {} and {} (the ratio is {:.3f}; {}).", file.name,
                           first.name, ratio.value, interval);
    }
    return fmt::format("{} is {} than {}: it takes {:.3f} times as long ({}).", file.name,
                       timing::wordsFor(ratio.pace()), first.name, ratio.value, interval);
}

/// Whether both are known to have inputs of other names or types.
bool haveOtherInputs(const TimedFile& first, const TimedFile& file) {
    return !first.inputs.empty() && !file.inputs.empty() && first.inputs != file.inputs;
}

/// Prints the rows with columns as wide as their longest texts; the first column begins at the left, the others end at the right.
void printRows(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const std::vector<std::string>& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters(row[i]));
    }
    for (const std::vector<std::string>& row : rows) {
        std::string line = row[0] + std::string(widths[0] - characters(row[0]), ' ');
        for (std::size_t i = 1; i < row.size(); ++i) line += "  " + padded(row[i], widths[i]);
        fmt::print("{}\n", line);
    }
}

void printTable(const std::vector<TimedFile>& files, const onnx::TimedModels& times, const cost::CostModelInfo& model) {
    const auto [unit, unitName] = unitFor(times.models.front().seconds.median);
    const bool hasOperators = files.front().operators.has_value();
    std::vector<std::vector<std::string>> rows{{"file", fmt::format("minimum {}", unitName),
                                                fmt::format("median {}", unitName), fmt::format("spread {}", unitName),
                                                "of the first"}};
    if (hasOperators) rows[0].emplace_back("operators µs");
    rows[0].push_back(fmt::format("{} {}", model.baseName(), model.unit));
    for (std::size_t i = 0; i < files.size(); ++i) {
        const Spread& time = times.models[i].seconds;
        std::vector<std::string> row{
            files[i].name, fmt::format("{:.4g}", time.least / unit), fmt::format("{:.4g}", time.median / unit),
            fmt::format("{:.3g}", time.width() / unit), i == 0 ? "1" : timing::ratioText(times.ratios[i])};
        if (hasOperators) row.push_back(numberText(files[i].operators));
        row.push_back(numberText(files[i].cost));
        rows.push_back(std::move(row));
    }
    printRows(rows);
}

}  // namespace

const CLI::Option* TimingFlags::addPython(CLI::App& command) {
    return command
        .add_option("--onnxruntime", python,
                    "a Python interpreter that has ONNX Runtime (modules onnxruntime and numpy)")
        ->capture_default_str();
}

void TimingFlags::addOthers(CLI::App& command, const std::string& prefix) {
    command.add_option(prefix + "level", level, "ONNX Runtime's own optimizations: disabled, basic, extended or all")
        ->check(CLI::IsMember(onnx::optimizationLevels()))
        ->capture_default_str();
    addSettings(command, prefix);
}

void TimingFlags::addSettings(CLI::App& command, const std::string& prefix) {
    command.add_option(prefix + "threads", threads, "threads of one operator in ONNX Runtime")
        ->check(CLI::Range(1, MostThreads))
        ->capture_default_str();
    command.add_option(prefix + "sizes", sizes,
                       "numbers for sizes of inputs that are names: 8, or batch=8,length=64 (default: those of the "
                       "cost model)");
    command.add_option(prefix + "seconds", seconds, "time to spend on running the models, together")
        ->check(CLI::Range(0.1, LongestRun))
        ->capture_default_str();
}

onnx::RuntimeOptions TimingFlags::runtime(std::stop_token stop) const {
    return {.python = python,
            .level = onnx::optimizationLevel(level).value_or(onnx::OptimizationLevel::All),
            .threads = threads,
            .limitSeconds = LongestRun + 2.0 * seconds,
            .stop = std::move(stop)};
}

Result<onnx::TimedModels> TimingFlags::time(const std::vector<TimedFile>& files, const cost::CostModelInfo& model,
                                            bool isQuiet, std::stop_token stop) const {
    onnx::TimingOptions timing{.seconds = seconds};
    MITOS_TRY(timing.sizes, cost::readSizes(sizesFor(model), 1));
    const ProgressLine progress(!isQuiet);
    timing.progress = [&progress](double part) { progress.show(fmt::format("timing: {:.0f} %", 100.0 * part)); };
    std::vector<std::filesystem::path> paths;
    for (const TimedFile& file : files) paths.push_back(file.path);
    Result<onnx::TimedModels> times = onnx::timeModels(paths, runtime(std::move(stop)), timing);
    progress.clear();
    return times;
}

void printTimes(const std::vector<TimedFile>& files, const onnx::TimedModels& times, const TimingFlags& how,
                const cost::CostModelInfo& model) {
    fmt::print("{}; level {}, {}; opened {} times, {} rounds\n", times.by.text(), how.level,
               how.threads == 1 ? "processor time of 1 thread" : fmt::format("{} threads", how.threads), times.blocks,
               times.rounds);
    printTable(files, times, model);
    constexpr double Busy = 0.1;
    if (times.elsewhere > Busy) {
        fmt::print("Other programs had the processor for {:.0f} % of the time, which is not counted.\n",
                   100.0 * times.elsewhere);
    }
    if (!times.unusedSizes.empty()) fmt::print("No input has a size named {}.\n", fmt::join(times.unusedSizes, ", "));
    for (std::size_t i = 1; i < files.size(); ++i) {
        fmt::print("{}\n", comparison(files[0], files[i], times.ratios[i]));
        if (haveOtherInputs(files[0], files[i])) {
            fmt::print("They have different inputs, so these are times of different computations: {} instead of {}.\n",
                       files[i].inputs, files[0].inputs);
        }
        printUnexpected(timing::costModelText(model.name), files[0].cost, files[i].cost, times.ratios[i],
                        isTimeUnit(model.unit) ? "time" : "cost");
        printUnexpected(timing::OperatorsText, files[0].operators, files[i].operators, times.ratios[i], "time");
    }
}

Result<TimedPrograms> timeResult(const TimedResult& what, const TimingFlags& how, bool isQuiet,
                                 const std::stop_token& stop) {
    const ir::Program& input = what.open.program;
    const tensor::Model first = what.open.read.model ? *what.open.read.model : tensor::modelOf(*what.open.bank, input);
    tensor::Model other = first;
    other.program = what.result;
    cost::CostProfile operators;
    const ProgressLine progress(!isQuiet);
    const onnx::PairTiming timing{
        .runtime = how.runtime(stop),
        .seconds = how.seconds,
        .sizes = how.sizesFor(what.model),
        .exported = what.exported,
        .operators = what.model.baseName() == MeasuredModel ? nullptr : &operators,
        .progress = [&progress](double /*part*/, const std::string& doing) { progress.show(doing); }};
    Result<onnx::PairTimes> times = onnx::timePair({*what.open.bank, first, what.file}, {what.bank, other}, timing);
    progress.clear();
    if (!times) return std::move(times).error();
    return TimedPrograms{
        {{"input", {}, what.inputCost, times->firstOperators}, {"result", {}, what.resultCost, times->otherOperators}},
        std::move(times->models)};
}

Json timesJson(const std::vector<TimedFile>& files, const onnx::TimedModels& times, const TimingFlags& how,
               const cost::CostModelInfo& model) {
    Json list = Json::array();
    for (std::size_t i = 0; i < files.size(); ++i) {
        const timing::TimeSummary& time = times.models[i];
        const timing::TimeRatio& ratio = times.ratios[i];
        Json one{{"file", files[i].name},
                 {"minimum_seconds", time.seconds.least},
                 {"median_seconds", time.seconds.median},
                 {"spread_seconds", time.seconds.width()},
                 {"median_interval_seconds", {time.likely.low, time.likely.high}},
                 {"launches", time.calls},
                 {"cost", numberJson(files[i].cost)},
                 {"operator_microseconds", numberJson(files[i].operators)}};
        if (i > 0) {
            one["ratio"] = {{"value", ratio.value}, {"low", ratio.low}, {"high", ratio.high}};
            one["verdict"] = timing::toString(ratio.pace());
            one["cost_disagrees"] = disagree(files[0].cost, files[i].cost, ratio);
            one["inputs_differ"] = haveOtherInputs(files[0], files[i]);
            one["operators_disagree"] = disagree(files[0].operators, files[i].operators, ratio);
        }
        list.push_back(std::move(one));
    }
    return {{"runtime", "ONNX Runtime " + times.by.runtime},
            {"python", times.by.python},
            {"level", how.level},
            {"threads", how.threads},
            {"blocks", times.blocks},
            {"rounds", times.rounds},
            {"clock", how.threads == 1 ? "processor" : "wall"},
            {"elsewhere", times.elsewhere},
            {"unused_sizes", times.unusedSizes},
            {"cost_model", model.name},
            {"cost_unit", model.unit},
            {"models", std::move(list)}};
}

}  // namespace mitos::cli
