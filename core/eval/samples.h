// SPDX-License-Identifier: GPL-3.0-or-later
// Random inputs on which a program has a value, used by compare() and by the check of exported C++.
#pragma once

#include "core/eval/evaluator.h"

namespace mitos::eval {

struct Sample {
    Inputs inputs;
    Value expected;  ///< all its Floats are finite
    /// It has Integers that may be the bound of a loop that never ends, in another program of the same value.
    bool isWide = false;
};

/// Collects numbers at which a program may change its behaviour: its constants, and where comparisons of simple terms with them change.
/// Appends them in order of appearance, each once, until `into` has `most` Floats and as many Integers.
void addDecidingNumbers(const ir::TermBank& bank, ir::TermId root, DecidingNumbers& into, std::size_t most = 40);
/// The same for given constants.
void addDecidingNumbers(const DecidingNumbers& constants, DecidingNumbers& into, std::size_t most = 40);

/// The numbers, followed by numbers at which comparisons with them change: one more and one less, the adjacent Floats, the double, and
/// the negative minus one. Integers wrap around.
[[nodiscard]] DecidingNumbers withNeighbours(const DecidingNumbers& numbers);

/// The Integers that can be the size of every tensor of the function's inputs, each once: some ten thousand numbers in all.
[[nodiscard]] std::vector<std::int64_t> affordableSizes(const ir::TermBank& bank, const ir::Function& function,
                                                        const std::vector<std::int64_t>& integers);

/// An Integer of any number of bits from 31 to 64, of both signs: often the largest or the smallest one, or beside a power of two.
[[nodiscard]] std::int64_t wideInteger(Random& random);

/// The limit on another program for such an input.
inline constexpr std::uint64_t MostStepsOfWide = 1'000'000;

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
    const DecidingNumbers&
        numbers;     ///< these and their neighbours are used in turn for Region::Constants, and as sizes
    int most = 300;  ///< inputs to add
    std::uint64_t steps = 10'000'000;  ///< of evaluation, after which no more are added
};

/// Calls drawSamples() and then adds inputs from every Region but the plain one, for all parameters together and for each alone, with
/// sizes 0, 1 and the constants' own, and with mixed sizes (vectors of vectors are ragged). Keeps those on which the program has a finite value; the others
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
