// SPDX-License-Identifier: GPL-3.0-or-later
// The work of the loops that exported code consists of.
#include "core/cost/factory.h"
#include "core/cost/internal/loops_evaluator.h"
#include "core/ks/operators.h"

namespace mitos::cost::models {

namespace {

/// As for ks-2021.
constexpr double VectorSize = 16.0;

constexpr LoopWeights Weights{.arithmetic = 0.6,
                              .division = 2.0,
                              .function = 5.0,
                              .byte = 0.05,
                              .allocation = 25.0,
                              .iteration = 0.5,
                              .call = 1.0};

}  // namespace

CostModelFactory loops() {
    return {.info = {.name = "loops",
                     .title = "Loops of exported code",
                     .unit = "ns",
                     .description = "Work of the loops that exported C++ consists of, after fusion, hoisting and "
                                    "sharing: arithmetic, functions, "
                                    "bytes in vectors, allocations, iterations and calls, with times that are fitted "
                                    "to measurements. Every "
                                    "dimension has 16 elements; of two branches, the more expensive one counts.",
                     .dialects = {std::string(ks::DialectName)}},
            .make = [](CostModelInfo info) -> Result<std::shared_ptr<const CostModel>> {
                return modelOfPrograms(std::move(info), [](const ir::TermBank& bank, ir::FunctionId function) {
                    return loopsEvaluator(bank, function, Weights, VectorSize);
                });
            }};
}

}  // namespace mitos::cost::models
