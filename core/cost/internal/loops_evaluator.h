// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of ks programs by the work of the loops that exported code consists of. Private to core/cost.
#pragma once

#include "core/cost/cost_model.h"

#include <memory>

namespace mitos::cost {

/// Nanoseconds of what loops do, on one core.
struct LoopWeights {
    double arithmetic = 0.0;  ///< a sum, difference, product or sign of Floats
    double division = 0.0;
    double function = 0.0;    ///< exp; others cost multiples of it
    double byte = 0.0;        ///< read or written in a vector
    double allocation = 0.0;  ///< a vector or tensor that is made, copied or freed
    double iteration = 0.0;   ///< of a loop, or a branch
    double call = 0.0;        ///< of a function of the program
};

/// Prices programs whose dimensions all have `vectorSize` elements. Costs fail with Unsupported where a program has no loop form.
[[nodiscard]] std::unique_ptr<CostEvaluator> loopsEvaluator(const ir::TermBank& bank, ir::FunctionId function,
                                                            const LoopWeights& weights, double vectorSize);

}  // namespace mitos::cost
