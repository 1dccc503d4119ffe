// SPDX-License-Identifier: GPL-3.0-or-later
// See timing.h.
#include "app/cli/timing.h"

#include "app/cli/search_options.h"
#include "core/onnx/time_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

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

std::string ratioText(const onnx::TimeRatio& ratio) {
    return fmt::format("{:.3f} ({:.3f} to {:.3f})", ratio.value, ratio.low, ratio.high);
}

const char* verdictOf(const onnx::TimeRatio& ratio) {
    return ratio.isFaster() ? "faster" : ratio.isSlower() ? "slower" : "same";
}

/// Whether costs rank the file and the first one against what was measured.
bool disagree(const std::optional<double>& first, const std::optional<double>& other, const onnx::TimeRatio& ratio) {
    return first && other && ratio.contradicts(*first, *other);
}

std::string numberText(const std::optional<double>& number) { return number ? fmt::format("{:.5g}", *number) : "-"; }
Json numberJson(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

/// Compares a file with the first in a sentence.
std::string comparison(const TimedFile& first, const TimedFile& file, const onnx::TimeRatio& ratio) {
    const std::string interval = fmt::format("{:.3f} to {:.3f}, with a confidence of 95 %", ratio.low, ratio.high);
    if (!ratio.isFaster() && !ratio.isSlower()) {
        return fmt::format("No difference beyond noise between {} and {} (the ratio is {:.3f}; {}).", file.name,
                           first.name, ratio.value, interval);
    }
    return fmt::format("{} is {} than {}: it takes {:.3f} times as long ({}).", file.name, verdictOf(ratio), first.name,
                       ratio.value, interval);
}

}  // namespace

void TimingFlags::addPython(CLI::App& command) {
    command
        .add_option("--onnxruntime", python,
                    "a Python interpreter that has ONNX Runtime (modules onnxruntime and numpy)")
        ->capture_default_str();
}

void TimingFlags::addOthers(CLI::App& command, const std::string& prefix) {
    command.add_option(prefix + "level", level, "ONNX Runtime's own optimizations: disabled, basic, extended or all")
        ->check(CLI::IsMember(onnx::optimizationLevels()))
        ->capture_default_str();
    command.add_option(prefix + "threads", threads, "threads of one operator in ONNX Runtime")
        ->check(CLI::Range(1, MostThreads))
        ->capture_default_str();
    command.add_option(prefix + "sizes", sizes, "numbers for sizes of inputs that are names: 8, or batch=8,length=64")
        ->capture_default_str();
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

Result<onnx::TimedModels> TimingFlags::time(const std::vector<TimedFile>& files, bool isQuiet,
                                            std::stop_token stop) const {
    onnx::TimingOptions timing{.seconds = seconds};
    MITOS_TRY(timing.sizes, cost::readSizes(sizes, 1));
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
    const auto [unit, unitName] = unitFor(times.models.front().median);
    std::size_t width = 4;
    for (const TimedFile& file : files) width = std::max(width, file.name.size());
    const std::array columns{fmt::format("minimum {}", unitName), fmt::format("median {}", unitName),
                             fmt::format("spread {}", unitName)};
    constexpr std::size_t Number = 12;
    constexpr std::size_t Ratio = 24;
    const std::string cost = fmt::format("  {} {}", model.name, model.unit);
    const bool hasOperators = files.front().operators.has_value();
    const std::string operators = hasOperators ? "  operators µs" : "";
    fmt::print("{:<{}}{}{}{}{}{}{}\n", "file", width, padded(columns[0], Number), padded(columns[1], Number),
               padded(columns[2], Number), padded("of the first", Ratio), operators, cost);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const onnx::ModelTime& time = times.models[i];
        fmt::print("{:<{}}{:>12.4g}{:>12.4g}{:>12.3g}{:>24}{}{}\n", files[i].name, width, time.minimum / unit,
                   time.median / unit, time.spread / unit, i == 0 ? "1" : ratioText(times.ratios[i]),
                   hasOperators ? padded(numberText(files[i].operators), characters(operators)) : "",
                   padded(numberText(files[i].cost), characters(cost)));
    }
    constexpr double Busy = 0.1;
    if (times.elsewhere > Busy) {
        fmt::print("Other programs had the processor for {:.0f} % of the time, which is not counted.\n",
                   100.0 * times.elsewhere);
    }
    for (std::size_t i = 1; i < files.size(); ++i) {
        fmt::print("{}\n", comparison(files[0], files[i], times.ratios[i]));
        if (disagree(files[0].cost, files[i].cost, times.ratios[i])) {
            fmt::print("The cost model {} expects the contrary: {:.3f} times the cost.\n", model.name,
                       *files[i].cost / *files[0].cost);
        }
        if (disagree(files[0].operators, files[i].operators, times.ratios[i])) {
            fmt::print("The sum of the operators' times expects the contrary: {:.3f} times as long.\n",
                       *files[i].operators / *files[0].operators);
        }
    }
}

Result<TimedPrograms> timeResult(const TimedResult& what, const TimingFlags& how, bool isQuiet,
                                 const std::stop_token& stop) {
    const ir::Program& input = what.open.program;
    const tensor::Model first = what.open.model ? *what.open.model : tensor::modelOf(*what.open.bank, input);
    tensor::Model other = first;
    other.program = what.result;
    cost::CostProfile operators;
    const ProgressLine progress(!isQuiet);
    const onnx::PairTiming timing{
        .runtime = how.runtime(stop),
        .seconds = how.seconds,
        .sizes = how.sizes,
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
        const onnx::ModelTime& time = times.models[i];
        const onnx::TimeRatio& ratio = times.ratios[i];
        Json one{{"file", files[i].name},
                 {"minimum_seconds", time.minimum},
                 {"median_seconds", time.median},
                 {"spread_seconds", time.spread},
                 {"median_interval_seconds", {time.likely.low, time.likely.high}},
                 {"launches", time.launches},
                 {"cost", numberJson(files[i].cost)},
                 {"operator_microseconds", numberJson(files[i].operators)}};
        if (i > 0) {
            one["ratio"] = {{"value", ratio.value}, {"low", ratio.low}, {"high", ratio.high}};
            one["verdict"] = verdictOf(ratio);
            one["cost_disagrees"] = disagree(files[0].cost, files[i].cost, ratio);
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
            {"cost_model", model.name},
            {"cost_unit", model.unit},
            {"models", std::move(list)}};
}

}  // namespace mitos::cli
