// SPDX-License-Identifier: GPL-3.0-or-later
// Random inputs on which a program has a value: what compare() and the check of exported C++ run on.
#pragma once

#include "core/eval/evaluator.h"

namespace mitos::eval {

struct Sample {
    Inputs inputs;
    Value expected;  ///< all its Floats are finite
};

/// Numbers that decide something in a program: its constants, and where comparisons of simple terms with them change. In order of appearance,
/// each once, at most `most`.
void addDecidingNumbers(const ir::TermBank& bank, ir::TermId root, std::vector<double>& into, std::size_t most = 40);

/// The numbers, and where what is compared with them changes: one more and less, the Floats beside them, twice as much, the negative less one. The
/// numbers themselves come first.
[[nodiscard]] std::vector<double> withNeighbours(const std::vector<double>& numbers);

struct Samples {
    std::vector<Sample> samples;
    int skipped = 0;              ///< inputs on which the program fails or has no finite value
    std::string note;             ///< how inputs had to be chosen, e.g. "mostly with equal sizes: …"; empty: freely
    std::string lastError;        ///< of a failed input
    bool onlyEqualSizes = false;  ///< drawSamples() chose the inputs so
};

/// Draws up to `count` inputs of the program's signature: with mixed sizes where the program mostly has a value on those,
/// else with all sizes equal, else with positive numbers. A stop ends it with the inputs found by then. Errors: parameters without
/// random inputs; Cancelled, before any was found.
[[nodiscard]] Result<Samples> drawSamples(const ir::TermBank& bank, const ir::Program& program, int count,
                                          std::uint64_t seed, const Limits& limits);

/// drawSamples(), and then inputs in every Region but the plain one, for all parameters together and for each alone, and with sizes 0 and 1, and with mixed ones
/// (vectors of vectors ragged): those on which the program has a finite value. `numbers`: for Region::Constants, with their neighbours, each in turn. `most` of them, and fewer where they
/// take more than so many steps. Not counted as skipped if the program has no value there.
[[nodiscard]] Result<Samples> drawCoveringSamples(const ir::TermBank& bank, const ir::Program& program, int count,
                                                  const std::vector<double>& numbers, std::uint64_t seed,
                                                  const Limits& limits, int most = 250,
                                                  std::uint64_t steps = 10'000'000);

/// Takes away the inputs on which an assumption does not hold, or its term has no value.
void keepAssumed(const ir::TermBank& bank, ir::FunctionId function, const std::vector<AssumedSign>& assumptions,
                 const Limits& limits, std::vector<Sample>& samples);

/// What is said where the time of a comparison ended.
[[nodiscard]] std::string endOfTime(double seconds, int compared, std::size_t wanted);

/// Whether it has the same value whenever it is run on the same inputs: nothing it may call is $BENCH.
[[nodiscard]] bool isRepeatable(const ir::TermBank& bank, const ir::Program& program);
/// What is said of programs that are not.
inline constexpr const char* NotRepeatable = "$BENCH gives another time whenever it is run";

/// "x = 1.5, v = [1.0, 2.0]": inputs for a report.
[[nodiscard]] std::string describeInputs(const ir::TermBank& bank, const ir::Function& function, const Inputs& inputs);

}  // namespace mitos::eval
