// SPDX-License-Identifier: GPL-3.0-or-later
// Random inputs on which a program has a value: what compare() and the check of exported C++ run on.
#pragma once

#include "core/eval/evaluator.h"

namespace mitos::eval {

struct Sample {
    Inputs inputs;
    Value expected;  ///< all its Floats are finite
};

struct Samples {
    std::vector<Sample> samples;
    int skipped = 0;        ///< inputs on which the program fails or has no finite value
    std::string note;       ///< how inputs had to be chosen, e.g. "all sizes equal: …"; empty: freely
    std::string lastError;  ///< of a failed input
};

/// Draws up to `count` inputs of the program's signature: with mixed sizes where the program mostly has a value on those,
/// else with all sizes equal, else with positive numbers. Errors: parameters without random inputs, Cancelled.
[[nodiscard]] Result<Samples> drawSamples(const ir::TermBank& bank, const ir::Program& program, int count,
                                          std::uint64_t seed, const Limits& limits);

/// Whether it has the same value whenever it is run on the same inputs: nothing it may call is $BENCH.
[[nodiscard]] bool isRepeatable(const ir::TermBank& bank, const ir::Program& program);
/// What is said of programs that are not.
inline constexpr const char* NotRepeatable = "$BENCH gives another time whenever it is run";

/// "x = 1.5, v = [1.0, 2.0]": inputs for a report.
[[nodiscard]] std::string describeInputs(const ir::TermBank& bank, const ir::Function& function, const Inputs& inputs);

}  // namespace mitos::eval
