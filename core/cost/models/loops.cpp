// SPDX-License-Identifier: GPL-3.0-or-later
// The work of the loops that exported code consists of.
#include "core/cost/factory.h"
#include "core/cost/internal/loops_evaluator.h"
#include "core/ks/operators.h"

namespace mitos::cost::models {

namespace {

/// As for ks-2021.
constexpr std::int64_t VectorSize = 16;
constexpr std::int64_t LargestSize = 1'000'000;
constexpr double LargestWeight = 1e6;

ParameterInfo weight(std::string name, const std::string& title, double nanoseconds) {
    return {.name = std::move(name),
            .title = title,
            .help = "nanoseconds of a " + title,
            .defaultValue = nanoseconds,
            .minimum = 0.0,
            .maximum = LargestWeight};
}

/// Fitted to 158 measured programs by samples/reports/loop-costs/measure (2026-11-29, shared AMD EPYC, g++ 12.2 -O3), which also says why the
/// weights of bytes and calls are not. Compilers vectorize and reorder, so a sum takes less than a cycle.
std::vector<ParameterInfo> weights() {
    return {weight("arithmetic", "sum or product", 0.079),
            weight("division", "division", 0.78),
            weight("function", "function like exp", 3.1),
            weight("byte", "byte in a vector", 0.005),
            weight("allocation", "allocation", 7.8),
            weight("iteration", "iteration or branch", 0.13),
            weight("call", "call of a function", 0.5),
            {.name = "size",
             .title = "size",
             .help = "elements of every dimension",
             .defaultValue = VectorSize,
             .minimum = 1.0,
             .maximum = static_cast<double>(LargestSize)}};
}

Result<std::shared_ptr<const CostModel>> makeLoops(CostModelInfo info) {
    const auto nanoseconds = [&](const char* name) { return std::get<double>(info.values.at(name)); };
    const LoopWeights chosen{.arithmetic = nanoseconds("arithmetic"),
                             .division = nanoseconds("division"),
                             .function = nanoseconds("function"),
                             .byte = nanoseconds("byte"),
                             .allocation = nanoseconds("allocation"),
                             .iteration = nanoseconds("iteration"),
                             .call = nanoseconds("call")};
    const auto size = static_cast<double>(std::get<std::int64_t>(info.values.at("size")));
    return modelOfPrograms(std::move(info), [chosen, size](const ir::TermBank& bank, ir::FunctionId function) {
        return loopsEvaluator(bank, function, chosen, size);
    });
}

}  // namespace

CostModelFactory loops() {
    return {.info = {.name = "loops",
                     .title = "Loops of exported code",
                     .unit = "ns",
                     .description = "Work of the loops that exported C++ consists of, after fusion, hoisting and "
                                    "sharing: arithmetic, functions, bytes in vectors, allocations, iterations and "
                                    "calls, with times that are fitted to measurements. Every dimension has 16 "
                                    "elements; of two branches, the more expensive one counts.",
                     .dialects = {std::string(ks::DialectName)},
                     .parameters = weights()},
            .make = makeLoops};
}

}  // namespace mitos::cost::models
