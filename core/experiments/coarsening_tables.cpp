// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/coarsening_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <span>
#include <string_view>

namespace mitos::experiments {

namespace {

constexpr const char* Nothing = "–";
constexpr double Clearly = 1.05;  // a smaller speed-up is none

using Times = std::vector<ToolTime>;
using Row = std::vector<std::string>;

std::string withSpread(const ToolTime* time) {
    if (time == nullptr) return Nothing;
    return fmt::format("{} ± {:.2g} %", timeText(time->call.seconds.median), 100.0 * time->spread());
}

std::string medianText(const ToolTime* time) { return time == nullptr ? Nothing : timeText(time->call.seconds.median); }

/// How many times as fast; 0 if one of them is missing.
double speedUp(const ToolTime* slow, const ToolTime* fast) {
    if (slow == nullptr || fast == nullptr || fast->call.seconds.median <= 0.0) return 0.0;
    return slow->call.seconds.median / fast->call.seconds.median;
}

std::string timesText(double ratio) { return ratio > 0.0 ? fmt::format("{:.3g}×", ratio) : Nothing; }

std::string ratioText(const ToolTime* slow, const ToolTime* fast) { return timesText(speedUp(slow, fast)); }

const Times& differentiation(const ConfigurationTimes& times) {
    return times.differentiation.empty() ? times.gradient : times.differentiation;
}

/// Calls with each configuration that was measured, and its number.
using Visit = std::function<void(const CoarseningRun&, std::size_t, const ConfigurationTimes&)>;
void forEach(const CoarseningResults& results, const Visit& visit) {
    for (const CoarseningRun& run : results.runs) {
        for (std::size_t i = 0; i < run.configurations.size(); ++i) visit(run, i, run.configurations[i]);
    }
}

std::string label(const CoarseningRun& run, const ConfigurationTimes& times) {
    return fmt::format("{}, {}", run.benchmark->name, times.name);
}

bool isOf(const CoarseningRun& run, std::string_view benchmark) { return run.benchmark->name == benchmark; }
bool isOfPaper(const CoarseningRun& run) { return run.benchmark->paperOverall[0] > 0.0; }

const ToolTime* fastestLibrary(const CoarseningResults& results, const Times& times) {
    const ToolTime* fastest = nullptr;
    for (const std::string& library : results.foundLibraries()) {
        const ToolTime* time = find(times, library);
        if (time != nullptr && (fastest == nullptr || time->call.seconds.median < fastest->call.seconds.median))
            fastest = time;
    }
    return fastest;
}

Table besideLibraries(const CoarseningResults& results, bool ofIterations) {
    Table table{.title = ofIterations ? "An iteration beside libraries" : "A gradient beside libraries"};
    table.text =
        ofIterations
            ? "Time of an iteration. A library gets the value and the gradient in one run."
            : "Time of one gradient. *fastest library*: its time over that of coarsened. Dual numbers run once for "
              "each input, and jets carry all inputs at once; both are left out where there are too many.";
    const std::vector<std::string> libraries = results.foundLibraries();
    table.head = {"benchmark", "primal", "reverse", "coarsened", ToolName::DualNumbers};
    if (ofIterations) table.head.erase(table.head.begin() + 1);
    table.head.insert(table.head.end(), libraries.begin(), libraries.end());
    table.head.emplace_back("fastest library");
    forEach(results, [&](const CoarseningRun& run, std::size_t, const ConfigurationTimes& times) {
        const Times& measured = ofIterations ? times.iteration : times.gradient;
        Row row{label(run, times)};
        if (!ofIterations) row.push_back(medianText(find(measured, VariantName::Primal)));
        const ToolTime* coarsened = find(measured, VariantName::Coarsened);
        row.push_back(medianText(find(measured, VariantName::Reverse)));
        row.push_back(medianText(coarsened));
        row.push_back(medianText(find(measured, ToolName::DualNumbers)));
        for (const std::string& library : libraries) row.push_back(medianText(find(measured, library)));
        row.push_back(ratioText(fastestLibrary(results, measured), coarsened));
        table.rows.push_back(std::move(row));
    });
    return table;
}

Table overPrimal(const CoarseningResults& results) {
    constexpr std::array<double, 3> PaperSprings{1 / 3.39, 1 / 1.94, 1 / 2.22};
    Table table{.title = "A gradient against its primal alone",
                .text =
                    "Time of the coarsened gradient over that of the function as written. Below 1, the gradient "
                    "is faster than the function itself. *paper*: HookeanSpring on the server.",
                .head = {"benchmark", "primal", "coarsened gradient", "gradient over primal", "paper"}};
    forEach(results, [&](const CoarseningRun& run, std::size_t i, const ConfigurationTimes& times) {
        const bool isSprings = isOf(run, "HookeanSpring");
        const ToolTime* primal = find(times.gradient, VariantName::Primal);
        const ToolTime* coarsened = find(times.gradient, VariantName::Coarsened);
        table.rows.push_back({label(run, times), withSpread(primal), withSpread(coarsened),
                              ratioText(coarsened, primal),
                              isSprings ? timesText(PaperSprings.at(i)) : std::string(Nothing)});
    });
    return table;
}

Table cartPole(const CoarseningResults& results) {
    constexpr std::array<double, 3> PaperEnvironment{2.68, 2.63, 3.19};
    Table table{.title = "CartPole: the environment alone, and the network around it",
                .text =
                    "The network (4, 24, 48, 1) and ADAM are the same hand-written code with every tool, so "
                    "only the environment is coarsened. *environment*: the gradient of the loss in the actions. "
                    "*with network*: from there to the weights. *share*: of the environment in an iteration.",
                .head = {"configuration", "environment, reverse", "coarsened", "speed-up", "paper",
                         "with network, reverse", "coarsened", "speed-up", "paper", "share"}};
    forEach(results, [&](const CoarseningRun& run, std::size_t i, const ConfigurationTimes& times) {
        if (times.differentiation.empty()) return;
        Row row{times.name};
        for (const bool withNetwork : {false, true}) {
            const Times& measured = withNetwork ? times.differentiation : times.gradient;
            const ToolTime* reverse = find(measured, VariantName::Reverse);
            const ToolTime* coarsened = find(measured, VariantName::Coarsened);
            const double paper = withNetwork ? run.benchmark->paperDifferentiation[i] : PaperEnvironment.at(i);
            row.insert(row.end(),
                       {withSpread(reverse), withSpread(coarsened), ratioText(reverse, coarsened), timesText(paper)});
        }
        const ToolTime* environment = find(times.gradient, VariantName::Reverse);
        const double share = speedUp(environment, find(times.iteration, VariantName::Reverse));
        row.push_back(fmt::format("{:.0f} %", 100.0 * share));
        table.rows.push_back(std::move(row));
    });
    return table;
}

Table memory(const CoarseningResults& results) {
    Table table{.title = "Memory",
                .text =
                    "Allocations of one gradient and their bytes, counted in `operator new`. *saved*: bytes of "
                    "reverse mode that coarsening does not need. The paper saves over 70 % for BGDHyperOpt.",
                .head = {"benchmark", "reverse", "loops kept", "coarsened", "saved"}};
    const auto text = [](const ToolMemory* used) {
        return used == nullptr ? std::string(Nothing) : fmt::format("{} of {} B", used->allocations, used->bytes);
    };
    forEach(results, [&](const CoarseningRun& run, std::size_t, const ConfigurationTimes& times) {
        const auto of = [&](const char* tool) -> const ToolMemory* {
            const auto found = std::ranges::find(times.memory, tool, &ToolMemory::tool);
            return found == times.memory.end() ? nullptr : &*found;
        };
        const ToolMemory* reverse = of(VariantName::Reverse);
        const ToolMemory* coarsened = of(VariantName::Coarsened);
        Row row{label(run, times), text(reverse), text(of(VariantName::Loops)), text(coarsened), Nothing};
        if (reverse != nullptr && coarsened != nullptr && reverse->bytes > 0) {
            const double kept = static_cast<double>(coarsened->bytes) / static_cast<double>(reverse->bytes);
            row.back() = fmt::format("{:.0f} %", 100.0 * (1.0 - kept));
        }
        table.rows.push_back(std::move(row));
    });
    return table;
}

Table masks(const CoarseningResults& results) {
    Table table{.title = "HMC: masked exponentials against guards",
                .text =
                    "Time of a gradient where both branches of the overflow guard are computed and a mask "
                    "chooses, as programs for tensors do, and where the branch is a branch. *speed-up*: masked "
                    "reverse mode over the coarsened guard.",
                .head = {"configuration", "masked, reverse", "masked, coarsened", "guard, reverse", "guard, coarsened",
                         "speed-up"}};
    forEach(results, [&](const CoarseningRun&, std::size_t, const ConfigurationTimes& times) {
        const ToolTime* masked = find(times.gradient, ToolName::Masked);
        const ToolTime* coarsened = find(times.gradient, VariantName::Coarsened);
        if (masked == nullptr) return;
        table.rows.push_back({times.name, withSpread(masked),
                              withSpread(find(times.gradient, ToolName::MaskedCoarsened)),
                              withSpread(find(times.gradient, VariantName::Reverse)), withSpread(coarsened),
                              ratioText(masked, coarsened)});
    });
    return table;
}

Table withoutCalculus(const CoarseningResults& results) {
    constexpr std::array<double, 3> PaperWithout{8.46, 7.80, 8.08};
    Table table{.title = "BGDHyperOpt without φ-calculus",
                .text =
                    "Speed-up of the gradient over reverse mode where segments are differentiated as wholes, but "
                    "loops stay loops, and with closed forms.",
                .head = {"configuration", "loops kept", "paper", "with closed forms", "paper"}};
    forEach(results, [&](const CoarseningRun& run, std::size_t i, const ConfigurationTimes& times) {
        if (!isOf(run, "BGDHyperOpt")) return;
        const ToolTime* reverse = find(times.gradient, VariantName::Reverse);
        table.rows.push_back({times.name, ratioText(reverse, find(times.gradient, VariantName::Loops)),
                              timesText(PaperWithout.at(i)),
                              ratioText(reverse, find(times.gradient, VariantName::Coarsened)),
                              timesText(run.benchmark->paperDifferentiation[i])});
    });
    return table;
}

Table insideLibrary(const CoarseningResults& results) {
    constexpr std::array<double, 3> PaperAdept{0.0, 66.0, 96.2};
    Table table{.title = "Table 4: a coarsened segment inside a library",
                .text =
                    "Time of a gradient by Stan Math, and by Stan Math where the whole function is one operation with "
                    "its coarsened gradient. *paper*: the same for Adept.",
                .head = {"benchmark", "Stan Math", "with the coarsened segment", "speed-up", "paper"}};
    forEach(results, [&](const CoarseningRun& run, std::size_t i, const ConfigurationTimes& times) {
        const ToolTime* library = find(times.gradient, "Stan Math");
        const ToolTime* inside = find(times.gradient, ToolName::InLibrary);
        if (inside == nullptr) return;
        table.rows.push_back({label(run, times), withSpread(library), withSpread(inside), ratioText(library, inside),
                              timesText(isOf(run, "BGDHyperOpt") ? PaperAdept.at(i) : 0.0)});
    });
    return table;
}

Table ablations(const CoarseningResults& results) {
    constexpr std::array<const char*, 8> Columns{VariantName::Reverse, VariantName::Statements, VariantName::Halves,
                                                 VariantName::Loops,   VariantName::Coarsened,  VariantName::Whole,
                                                 VariantName::NoReuse, ToolName::WithPrimal};
    Table table{.title = "Ablations",
                .text = fmt::format(
                    "Time of a gradient. *{}*: each statement is a segment. *{}*: segments of at most half the "
                    "function's size. *{}*: segments are selected, and loops stay loops. *{}*: no selection, where "
                    "a function is larger than the limit; where none is, coarsened is that already. *{}*: coarsened "
                    "without reuse of numbers, which are computed again in each place that needs them; the C++ "
                    "compiler finds some of them again. *{}*: the primal is computed before the coarsened gradient "
                    "instead of being removed.",
                    VariantName::Statements, VariantName::Halves, VariantName::Loops, VariantName::Whole,
                    VariantName::NoReuse, ToolName::WithPrimal),
                .head = {"benchmark"}};
    std::vector<const char*> columns;
    forEach(results, [&](const CoarseningRun&, std::size_t, const ConfigurationTimes& times) {
        for (const char* column : Columns) {
            const bool isNew = std::ranges::find(columns, column) == columns.end();
            if (isNew && find(times.gradient, column) != nullptr) columns.push_back(column);
        }
    });
    table.head.insert(table.head.end(), columns.begin(), columns.end());
    forEach(results, [&](const CoarseningRun& run, std::size_t, const ConfigurationTimes& times) {
        Row row{label(run, times)};
        for (const char* column : columns) row.push_back(medianText(find(times.gradient, column)));
        table.rows.push_back(std::move(row));
    });
    return table;
}

Table making(const CoarseningResults& results) {
    Table table{.title = "How the gradients were made",
                .text =
                    "*size*: operators of the function's symbolic form. *steps*: rule applications from the "
                    "program to the symbolic forms of its segments; each can be replayed.",
                .head = {"benchmark", "size", "segments", "steps", "symbolic work"}};
    for (const CoarseningRun& run : results.runs) {
        if (!run.failure.empty()) continue;
        table.rows.push_back({run.benchmark->name, fmt::format("{}", run.variants.size),
                              run.variants.isWhole ? "the whole function" : fmt::format("{}", run.variants.segments),
                              fmt::format("{}", run.variants.steps), timeText(run.variants.symbolicSeconds)});
    }
    return table;
}

/// The smallest and the largest of some speed-ups, how many there are, and how many reach the paper's.
struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = 0.0;
    std::size_t count = 0;
    std::size_t clear = 0;
    std::size_t asPaper = 0;

    void add(double speedUp, double paper) {
        if (speedUp <= 0.0) return;
        least = std::min(least, speedUp);
        most = std::max(most, speedUp);
        ++count;
        clear += speedUp >= Clearly ? 1 : 0;
        asPaper += paper > 0.0 && speedUp >= paper ? 1 : 0;
    }
};

std::string rangeText(const Range& range) {
    const std::string least = fmt::format("{:.3g}", range.least);
    const std::string most = fmt::format("{:.3g}", range.most);
    return least == most ? least : fmt::format("{} to {}", least, most);
}

std::string speedUpFinding(std::string_view what, const Range& range) {
    return fmt::format(
        "{}: coarsening is {} times as fast as reverse mode, more than 5 % faster in {} of "
        "{} configurations, and reaches the paper's speed-up in {}.",
        what, rangeText(range), range.clear, range.count, range.asPaper);
}

void addLibraryFindings(const CoarseningResults& results, std::vector<std::string>& findings) {
    for (const CoarseningRun& run : results.runs) {
        Range range;
        std::string fastest;
        for (const ConfigurationTimes& times : run.configurations) {
            const ToolTime* library = fastestLibrary(results, times.gradient);
            range.add(speedUp(library, find(times.gradient, VariantName::Coarsened)), 0.0);
            if (library != nullptr && fastest.find(library->tool) == std::string::npos) {
                fastest += (fastest.empty() ? "" : " or ") + library->tool;
            }
        }
        if (range.count == 0) continue;
        findings.push_back(fmt::format("{}'s gradient takes {} times as long with the fastest library ({}).",
                                       run.benchmark->name, rangeText(range), fastest));
    }
}

void addPrimalFindings(const CoarseningResults& results, std::vector<std::string>& findings) {
    for (const CoarseningRun& run : results.runs) {
        if (!isOf(run, "HookeanSpring") && !isOf(run, "GMM")) continue;
        Range range;
        for (const ConfigurationTimes& times : run.configurations) {
            range.add(speedUp(find(times.gradient, VariantName::Coarsened), find(times.gradient, VariantName::Primal)),
                      0.0);
        }
        if (range.count == 0) continue;
        findings.push_back(
            fmt::format("{}'s coarsened gradient takes {} times its primal.", run.benchmark->name, rangeText(range)));
    }
}

}  // namespace

std::string timeText(double seconds) {
    // A unit begins where three digits of the smaller one would be rounded to a thousand.
    constexpr double Begins = 0.9995;
    if (seconds < Begins * 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
    if (seconds < Begins * 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
    if (seconds < Begins) return fmt::format("{:.3g} ms", seconds * 1e3);
    return fmt::format("{:.3g} s", seconds);
}

double mostApart(const ConfigurationTimes& configuration) {
    double most = 0.0;
    for (const Times* times : {&configuration.gradient, &configuration.iteration, &configuration.differentiation}) {
        for (const ToolTime& time : *times) most = time.apart <= most ? most : time.apart;  // also for NaN
    }
    return most;
}

Table speedUps(const CoarseningResults& results) {
    Table table{.title = "Table 3: reverse mode and coarsening",
                .text =
                    "*differentiation*: one gradient; for CartPole with its network. *iteration*: a step of the "
                    "algorithm that needs the gradient: of gradient descent (Brachistochrone, HookeanSpring), of the "
                    "learning rate (BGDHyperOpt, with the error), of the sampler (HMC: ten leapfrog steps and the "
                    "test), of the training with ADAM (CartPole), of the plan (QWOP, with the distance). *paper*: "
                    "the server.",
                .head = {"benchmark", "differentiation, reverse", "coarsened", "speed-up", "paper",
                         "iteration, reverse", "coarsened", "speed-up", "paper"}};
    forEach(results, [&](const CoarseningRun& run, std::size_t i, const ConfigurationTimes& times) {
        if (!isOfPaper(run)) return;
        Row row{label(run, times)};
        for (const bool isIteration : {false, true}) {
            const Times& measured = isIteration ? times.iteration : differentiation(times);
            const ToolTime* reverse = find(measured, VariantName::Reverse);
            const ToolTime* coarsened = find(measured, VariantName::Coarsened);
            const double paper = isIteration ? run.benchmark->paperOverall[i] : run.benchmark->paperDifferentiation[i];
            row.insert(row.end(),
                       {withSpread(reverse), withSpread(coarsened), ratioText(reverse, coarsened), timesText(paper)});
        }
        table.rows.push_back(std::move(row));
    });
    return table;
}

std::vector<Table> coarseningTables(const CoarseningResults& results) {
    std::vector<Table> tables{speedUps(results),
                              besideLibraries(results, false),
                              besideLibraries(results, true),
                              insideLibrary(results),
                              overPrimal(results),
                              cartPole(results),
                              withoutCalculus(results),
                              masks(results),
                              memory(results),
                              ablations(results),
                              making(results)};
    std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
    return tables;
}

std::vector<std::string> coarseningFindings(const CoarseningResults& results) {
    std::vector<std::string> findings;
    Range gradients;
    Range iterations;
    double apart = 0.0;
    forEach(results, [&](const CoarseningRun& run, std::size_t i, const ConfigurationTimes& times) {
        apart = mostApart(times) <= apart ? apart : mostApart(times);
        if (!isOfPaper(run)) return;
        const Times& differentiated = differentiation(times);
        gradients.add(speedUp(find(differentiated, VariantName::Reverse), find(differentiated, VariantName::Coarsened)),
                      run.benchmark->paperDifferentiation[i]);
        iterations.add(
            speedUp(find(times.iteration, VariantName::Reverse), find(times.iteration, VariantName::Coarsened)),
            run.benchmark->paperOverall[i]);
    });
    if (gradients.count > 0) findings.push_back(speedUpFinding("Differentiation", gradients));
    if (iterations.count > 0) findings.push_back(speedUpFinding("A whole iteration", iterations));
    addLibraryFindings(results, findings);
    addPrimalFindings(results, findings);
    findings.push_back(
        fmt::format("All gradients and iterations agree with hand-written dual numbers to {:.1g}, "
                    "relative to the largest element.",
                    apart));
    return findings;
}

}  // namespace mitos::experiments
