// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/experiments/coarsening_tables.h"

#include "core/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>

namespace mitos::search::experiments {

namespace {

constexpr const char* Nothing = "–";

using Times = std::vector<ToolTime>;
using Row = std::vector<std::string>;

std::string withSpread(const ToolTime* time) {
    if (time == nullptr) return Nothing;
    return fmt::format("{} ± {:.2g} %", timeText(time->call.seconds.median), 100.0 * time->spread());
}

std::string medianText(const ToolTime* time) { return time == nullptr ? Nothing : timeText(time->call.seconds.median); }

std::string timesText(double ratio) { return ratio > 0.0 ? fmt::format("{:.3g}×", ratio) : Nothing; }
std::string paperText(const std::optional<double>& ratio) { return ratio ? timesText(*ratio) : Nothing; }

std::string ratioText(const ToolTime* slow, const ToolTime* fast) { return timesText(speedUp(slow, fast)); }

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

ReportTable besideLibraries(const CoarseningResults& results, bool ofIterations) {
    ReportTable table{.name = ofIterations ? "iterations" : "gradients",
                      .title = ofIterations ? "An iteration beside libraries" : "A gradient beside libraries"};
    table.text =
        ofIterations
            ? "Time of an iteration. A library gets the value and the gradient in one run."
            : "Time of one gradient. *fastest library*: its time over that of coarsened. Dual numbers run once for "
              "each input, and jets carry all inputs at once; both are left out where there are too many.";
    const std::vector<std::string> libraries = results.tools.foundLibraries();
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

ReportTable overPrimal(const CoarseningResults& results) {
    ReportTable table{.name = "primal",
                      .title = "A gradient against its primal alone",
                      .text =
                          "Time of the coarsened gradient over that of the function as written. Below 1, the gradient "
                          "is faster than the function itself. *paper*: HookeanSpring on the server.",
                      .head = {"benchmark", "primal", "coarsened gradient", "gradient over primal", "paper"}};
    forEach(results, [&](const CoarseningRun& run, std::size_t i, const ConfigurationTimes& times) {
        const std::optional<double> paper = numbersOf(results.paper, run.benchmark->name).primalOverGradient.at(i);
        const ToolTime* primal = find(times.gradient, VariantName::Primal);
        const ToolTime* coarsened = find(times.gradient, VariantName::Coarsened);
        table.rows.push_back({label(run, times), withSpread(primal), withSpread(coarsened),
                              ratioText(coarsened, primal), paper ? timesText(1.0 / *paper) : std::string(Nothing)});
    });
    return table;
}

ReportTable cartPole(const CoarseningResults& results) {
    ReportTable table{.name = "cartpole",
                      .title = "CartPole: the environment alone, and the network around it",
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
            const CoarseningNumbers paper = numbersOf(results.paper, run.benchmark->name);
            row.insert(row.end(), {withSpread(reverse), withSpread(coarsened), ratioText(reverse, coarsened),
                                   paperText((withNetwork ? paper.differentiation : paper.environment).at(i))});
        }
        const ToolTime* environment = find(times.gradient, VariantName::Reverse);
        const double share = speedUp(environment, find(times.iteration, VariantName::Reverse));
        row.push_back(fmt::format("{:.0f} %", 100.0 * share));
        table.rows.push_back(std::move(row));
    });
    return table;
}

ReportTable memory(const CoarseningResults& results) {
    ReportTable table{.name = "memory",
                      .title = "Memory",
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

ReportTable masks(const CoarseningResults& results) {
    ReportTable table{.name = "masks",
                      .title = "HMC: masked exponentials against guards",
                      .text =
                          "Time of a gradient where both branches of the overflow guard are computed and a mask "
                          "chooses, as programs for tensors do, and where the branch is a branch. *speed-up*: masked "
                          "reverse mode over the coarsened guard.",
                      .head = {"configuration", "masked, reverse", "masked, coarsened", "guard, reverse",
                               "guard, coarsened", "speed-up"}};
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

ReportTable withoutCalculus(const CoarseningResults& results) {
    ReportTable table{.name = "without-calculus",
                      .title = "BGDHyperOpt without φ-calculus",
                      .text =
                          "Speed-up of the gradient over reverse mode where segments are differentiated as wholes, but "
                          "loops stay loops, and with closed forms.",
                      .head = {"configuration", "loops kept", "paper", "with closed forms", "paper"}};
    forEach(results, [&](const CoarseningRun& run, std::size_t i, const ConfigurationTimes& times) {
        if (!isOf(run, "BGDHyperOpt")) return;
        const CoarseningNumbers paper = numbersOf(results.paper, run.benchmark->name);
        const ToolTime* reverse = find(times.gradient, VariantName::Reverse);
        table.rows.push_back({times.name, ratioText(reverse, find(times.gradient, VariantName::Loops)),
                              paperText(paper.withoutCalculus.at(i)),
                              ratioText(reverse, find(times.gradient, VariantName::Coarsened)),
                              paperText(paper.differentiation.at(i))});
    });
    return table;
}

ReportTable insideLibrary(const CoarseningResults& results) {
    ReportTable table{
        .name = "table4",
        .title = "Table 4: a coarsened segment inside a library",
        .text =
            "Time of a gradient by Stan Math, and by Stan Math where the whole function is one operation with "
            "its coarsened gradient. *paper*: the same for Adept.",
        .head = {"benchmark", "Stan Math", "with the coarsened segment", "speed-up", "paper"}};
    forEach(results, [&](const CoarseningRun& run, std::size_t i, const ConfigurationTimes& times) {
        const ToolTime* library = find(times.gradient, "Stan Math");
        const ToolTime* inside = find(times.gradient, ToolName::InLibrary);
        if (inside == nullptr) return;
        table.rows.push_back({label(run, times), withSpread(library), withSpread(inside), ratioText(library, inside),
                              paperText(numbersOf(results.paper, run.benchmark->name).insideLibrary.at(i))});
    });
    return table;
}

ReportTable ablations(const CoarseningResults& results) {
    constexpr std::array<const char*, 8> Columns{VariantName::Reverse, VariantName::Statements, VariantName::Halves,
                                                 VariantName::Loops,   VariantName::Coarsened,  VariantName::Whole,
                                                 VariantName::NoReuse, ToolName::WithPrimal};
    ReportTable table{
        .name = "ablations",
        .title = "Ablations",
        .text = fmt::format(
            "Time of a gradient. *{}*: each statement is a segment. *{}*: segments of at most half the "
            "function's size. *{}*: segments are selected, and loops stay loops. *{}*: no selection, where "
            "a function is larger than the limit; where none is, coarsened is that already. *{}*: coarsened "
            "without reuse of numbers, which are computed again in each place that needs them; the C++ "
            "compiler finds some of them again. *{}*: the primal is computed before the coarsened gradient "
            "instead of being removed.",
            VariantName::Statements, VariantName::Halves, VariantName::Loops, VariantName::Whole, VariantName::NoReuse,
            ToolName::WithPrimal),
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

ReportTable making(const CoarseningResults& results) {
    ReportTable table{.name = "making",
                      .title = "How the gradients were made",
                      .text =
                          "*size*: operators of the function's symbolic form. *steps*: rule applications from the "
                          "program to the symbolic forms of its segments; each can be replayed.",
                      .head = {"benchmark", "size", "segments", "steps", "symbolic work"}};
    for (const CoarseningRun& run : results.runs) {
        table.rows.push_back({run.benchmark->name, fmt::format("{}", run.variants.size),
                              run.variants.isWhole ? "the whole function" : fmt::format("{}", run.variants.segments),
                              fmt::format("{}", run.variants.steps), timeText(run.variants.symbolicSeconds)});
    }
    return table;
}

}  // namespace

const std::vector<ToolTime>& differentiation(const ConfigurationTimes& times) {
    return times.differentiation.empty() ? times.gradient : times.differentiation;
}

double speedUp(const ToolTime* slow, const ToolTime* fast) {
    if (slow == nullptr || fast == nullptr || fast->call.seconds.median <= 0.0) return 0.0;
    return slow->call.seconds.median / fast->call.seconds.median;
}

const ToolTime* fastestLibrary(const CoarseningResults& results, const std::vector<ToolTime>& times) {
    const ToolTime* fastest = nullptr;
    for (const std::string& library : results.tools.foundLibraries()) {
        const ToolTime* time = find(times, library);
        if (time != nullptr && (fastest == nullptr || time->call.seconds.median < fastest->call.seconds.median))
            fastest = time;
    }
    return fastest;
}

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

ReportTable speedUps(const CoarseningResults& results) {
    ReportTable table{
        .name = "table3",
        .title = "Table 3: reverse mode and coarsening",
        .text =
            "*differentiation*: one gradient; for CartPole with its network. *iteration*: a step of the "
            "algorithm that needs the gradient: of gradient descent (Brachistochrone, HookeanSpring), of the "
            "learning rate (BGDHyperOpt, with the error), of the sampler (HMC: ten leapfrog steps and the "
            "test), of the training with ADAM (CartPole), of the plan (QWOP, with the distance). *paper*: "
            "the server.",
        .head = {"benchmark", "differentiation, reverse", "coarsened", "speed-up", "paper", "iteration, reverse",
                 "coarsened", "speed-up", "paper"}};
    forEach(results, [&](const CoarseningRun& run, std::size_t i, const ConfigurationTimes& times) {
        const CoarseningNumbers paper = numbersOf(results.paper, run.benchmark->name);
        if (!paper.iteration[0]) return;
        Row row{label(run, times)};
        for (const bool isIteration : {false, true}) {
            const Times& measured = isIteration ? times.iteration : differentiation(times);
            const ToolTime* reverse = find(measured, VariantName::Reverse);
            const ToolTime* coarsened = find(measured, VariantName::Coarsened);
            row.insert(row.end(), {withSpread(reverse), withSpread(coarsened), ratioText(reverse, coarsened),
                                   paperText((isIteration ? paper.iteration : paper.differentiation).at(i))});
        }
        table.rows.push_back(std::move(row));
    });
    return table;
}

std::vector<ReportTable> coarseningTables(const CoarseningResults& results) {
    std::vector<ReportTable> tables{speedUps(results),
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
    std::erase_if(tables, [](const ReportTable& table) { return table.rows.empty(); });
    return tables;
}

std::vector<std::string_view> coarseningParts() {
    return {"table3",           "gradients", "iterations", "table4",    "primal", "cartpole",
            "without-calculus", "masks",     "memory",     "ablations", "making"};
}

Status requireCoarseningParts(const std::vector<std::string>& names) {
    const std::vector<std::string_view> all = coarseningParts();
    for (const std::string& name : names) {
        if (std::ranges::find(all, name) == all.end()) return noSuchName("part of the experiment", name, all);
    }
    return Success{};
}

}  // namespace mitos::search::experiments
