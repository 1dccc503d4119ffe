// SPDX-License-Identifier: GPL-3.0-or-later
// Random inputs on which a program has a value, used by compare() and by the check of exported C++.
#pragma once

#include "core/eval/evaluator.h"

namespace mitos::eval {

struct Sample {
    Inputs inputs;
    Value expected;  ///< all its Floats are finite
};

/// Collects numbers at which a program may change its behaviour: its constants, and where comparisons of simple terms with them change.
/// Appends them in order of appearance, each once, until `into` has `most` numbers.
void addDecidingNumbers(const ir::TermBank& bank, ir::TermId root, std::vector<double>& into, std::size_t most = 40);

/// The numbers, followed by numbers at which comparisons with them change: one more and one less, the adjacent Floats, the double, and
/// the negative minus one.
[[nodiscard]] std::vector<double> withNeighbours(const std::vector<double>& numbers);

struct Samples {
    std::vector<Sample> samples;
    int skipped = 0;              ///< inputs on which the program fails or has no finite value
    std::string note;             ///< how inputs had to be chosen, e.g. "mostly with equal sizes: …"; empty if freely
    std::string lastError;        ///< error of a failed input
    bool onlyEqualSizes = false;  ///< drawSamples() chose the inputs so
};

/// Draws up to `count` inputs of the program's signature: with mixed sizes if the program mostly has a value on those, else with all
/// sizes equal, else with positive numbers. A stop request ends it with the inputs found by then. Errors: parameters without random
/// inputs; Cancelled, if no input was found before.
[[nodiscard]] Result<Samples> drawSamples(const ir::TermBank& bank, const ir::Program& program, int count,
                                          std::uint64_t seed, const Limits& limits);

/// The aim of the inputs that are drawn after the plain ones, and the limits on drawing them.
struct Cover {
    const std::vector<double>& numbers;  ///< these and their neighbours are used in turn for Region::Constants
    int most = 250;                      ///< inputs to add
    std::uint64_t steps = 10'000'000;    ///< of evaluation, after which no more are added
};

/// Calls drawSamples() and then adds inputs from every Region but the plain one, for all parameters together and for each alone, with
/// sizes 0 and 1, and with mixed sizes (vectors of vectors are ragged). Keeps those on which the program has a finite value; the others
/// do not count as skipped.
[[nodiscard]] Result<Samples> drawCoveringSamples(const ir::TermBank& bank, const ir::Program& program, int count,
                                                  std::uint64_t seed, const Limits& limits, const Cover& cover);

/// Removes the inputs on which an assumption does not hold or its term has no value.
void keepAssumed(const ir::TermBank& bank, ir::FunctionId function, const std::vector<AssumedSign>& assumptions,
                 const Limits& limits, std::vector<Sample>& samples);

/// The note for a comparison that reached its time limit.
[[nodiscard]] std::string endOfTime(double seconds, int compared, std::size_t wanted);

/// Whether every run on the same inputs gives the same value, that is, the program cannot reach $BENCH.
[[nodiscard]] bool isRepeatable(const ir::TermBank& bank, const ir::Program& program);
/// The message for programs that are not repeatable.
inline constexpr const char* NotRepeatable = "$BENCH gives another time whenever it is run";

/// Inputs as text for a report: "x = 1.5, v = [1.0, 2.0]".
[[nodiscard]] std::string describeInputs(const ir::TermBank& bank, const ir::Function& function, const Inputs& inputs);

}  // namespace mitos::eval
