// SPDX-License-Identifier: GPL-3.0-or-later
// The reference evaluator: it defines the meaning of ks and tensor programs.
#pragma once

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/eval/value.h"
#include "core/ir/term_bank.h"
#include "core/tensor/weights.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::eval {

class RealWatch;

struct Limits {
    std::uint64_t steps = 200'000'000;  ///< operator applications
    std::uint64_t bytes = 1ULL << 30U;  ///< held by values at one time (estimate)
    std::uint32_t depth = 20'000;       ///< nested calls and operators
    std::stop_token stop = {};
    /// Receives every operation on Floats of a ks program (real_watch.h); null if the operations are not watched.
    RealWatch* watch = nullptr;
};

/// The arguments of a function.
struct Inputs {
    std::vector<Value> arguments;          ///< one per parameter
    std::vector<std::int64_t> extraSizes;  ///< values of the SizeNames without a parameter, in their order
    /// Weights of a tensor program. A missing weight is random; its numbers depend on its name and type only.
    std::shared_ptr<const tensor::Weights> weights = {};
};

struct Evaluation {
    Value value;
    std::string printed;  ///< output of print and $trace
    std::uint64_t steps = 0;
};

/// Runs a program state on inputs. Errors: Evaluation (index out of range, failed assert, division of Integers by zero, contradicting
/// sizes of arguments, a call of an edef, …) and Limit. The message ends with the place: the path and the subterm printed in ks.
[[nodiscard]] Result<Evaluation> evaluate(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs,
                                          const Limits& limits = {});

/// The numbers that inputs consist of. Together the regions violate the assumptions that rules often make silently.
enum class Region : std::uint8_t {
    Plain,      ///< between -range and range, with some 0, 1, -1 and 2
    Negative,   ///< down to -1000
    Constants,  ///< InputOptions::numbers
    Large,      ///< between 10 and 1e6, of both signs
    Zero,       ///< 0 and -0
    Tiny,       ///< subnormal numbers, and down to 1e-300, of both signs
    Huge,       ///< up to the largest Float, of both signs
    Wide,       ///< Integers of all 64 bits, both ends above all; Floats are plain, mostly of one sign
    Mixed,      ///< each number from one of the regions above
    Infinite,   ///< infinities of both signs
    NotANumber,
};

/// Numbers at which a program may change its behaviour, those that matter most first.
struct DecidingNumbers {
    std::vector<double> floats = {};
    std::vector<std::int64_t> integers = {};
};

/// Integers above this may be drawn from Region::Wide and Region::Constants only: an Integer may be a size or the bound of a loop.
inline constexpr std::int64_t LargestUsualInteger = 1000;

struct InputOptions {
    std::int64_t minSize = 1;
    std::int64_t maxSize = 4;
    bool equalSizes = false;  ///< all sizes are the same (for programs that are only defined for square matrices)
    bool isRagged = false;    ///< rows of a vector of vectors have different sizes unless the type names them
    double range = 3.0;       ///< Floats are drawn from (-range, range), with special values (0, 1, -1, 2) mixed in
    bool positive = false;    ///< Floats are drawn from (0.1, range) instead (for log, div, sqrt of arguments)
    Region region = Region::Plain;
    DecidingNumbers numbers = {};  ///< for Region::Constants; without Floats or without Integers, those are plain
    std::optional<std::size_t>
        parameter{};  ///< only this parameter's numbers are from the region, the others are plain
};

/// Random well-typed inputs for a signature: equal size names get equal sizes, and Integers are small unless the region has others.
/// Fails if a parameter is a Lam.
[[nodiscard]] Result<Inputs> randomInputs(const ir::TermBank& bank, const ir::Function& function, Random& random,
                                          const InputOptions& options = {});
/// Inputs for timing: every size and every Integer is `defaultSize`. Errors: those of randomInputs, and Limit if the inputs would be too
/// large (above some ten million numbers).
[[nodiscard]] Result<Inputs> sizedInputs(const ir::TermBank& bank, const ir::Function& function, Random& random,
                                         std::int64_t defaultSize);

/// The sign of a closed term over a program's parameters.
struct AssumedSign {
    ir::TermId term;
    std::string relation;  ///< "> 0", ">= 0", "!= 0", "< 0", "<= 0"
};

struct EquivalenceOptions {
    int samples = 24;
    std::uint64_t seed = 1;
    /// Bounds deviation(); a smaller one makes no sense for rules that reassociate. For tensor programs it applies to elements that take
    /// up to 1000 operations and grows in proportion for longer sums.
    double tolerance = 1e-8;
    Limits limits = {.steps = 20'000'000};
    double seconds = 120.0;  ///< for all inputs together, and for the steps of a thread; 0: no limit
    double flops = 1e11;     ///< a tensor program that computes more than this on one input is not compared as a whole
    /// As Inputs::weights, but a weight that repeats one number is replaced by random numbers, because programs that differ may have the
    /// same value with it.
    std::shared_ptr<const tensor::Weights> weights = {};
    /// For ks programs: only inputs that satisfy all of these are compared.
    std::vector<AssumedSign> assumptions = {};
};

/// Inputs on which two programs have different values that are equal over the reals, because Floats have two zeros and NaN. No rounding
/// explains these differences, so a result states them.
struct ValueException {
    enum class Kind : std::uint8_t {
        ZeroSign,    ///< the values are the same if zeros have no sign
        NotANumber,  ///< an input is NaN
    };
    Kind kind = Kind::ZeroSign;
    int inputs = 0;
    std::string example;  ///< the first such input with both values

    friend bool operator==(const ValueException&, const ValueException&) = default;
};
[[nodiscard]] const char* toString(ValueException::Kind kind);  ///< "the sign of zero", "NaN"

struct Equivalence {
    bool equivalent = false;  ///< all compared samples agree, and at least one was compared
    int compared = 0;
    int skipped = 0;  ///< inputs on which the first program fails or has no finite value
    double maxDeviation = 0.0;
    /// Number of inputs on which the values differ by more than the tolerance, but only because of rounding, overflow or infinities:
    /// no difference over the reals is shown. `compared` does not count them.
    int realOnly = 0;
    std::string realOnlyExample;  ///< the first such input with both values
    /// Further differences that none over the reals explains, by kind; neither `compared` nor `realOnly` counts them.
    std::vector<ValueException> exceptions = {};
    /// For tensor programs: whether slightly different inputs give different values. If they do not (a softmax of large numbers, a unit
    /// that never fires), the agreement of two programs is weak evidence.
    bool isTelling = true;
    std::string counterexample;  ///< inputs and both values, if not equivalent
    std::string note;            ///< a remark for the report, e.g. "mostly with equal sizes: …"; may be empty
    /// No input was conclusive for the whole program, so each step of the thread was compared by itself (rewrite/verify.h).
    bool stepByStep = false;

    /// Counts an input on which the values differ in that way; the text is kept if it is the first one.
    void addException(ValueException::Kind kind, std::string inputsAndValues);
};

/// Whether programs of about this size are compared in at most some tenths of a second: tensor programs that compute little, and all ks
/// programs, whose limits see to that.
[[nodiscard]] bool isQuickToCompare(const ir::TermBank& bank, const ir::Program& program);

/// Compares two program states of one signature on random inputs; ks programs in every Region, with sizes 0 and 1, and with ragged
/// vectors of vectors. Mixed sizes are tried first, then equal ones if the first program fails on mixed ones, and positive numbers if
/// plain ones mostly give no finite value. The programs are not equivalent if the second one fails or differs on an input on which the
/// first has a value. Expensive tensor programs are compared on fewer inputs; others also on zeros of both signs, NaN, and whole numbers of
/// the whole range, which are not counted where the programs agree. If the time limit is reached, the comparisons made so far
/// count, and the note says so.
[[nodiscard]] Result<Equivalence> compare(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                          const EquivalenceOptions& options = {});

/// The value of $ranhashdoub: a fixed random number in [0, 1) for each Integer (ks-language.md 7).
[[nodiscard]] double hashToUnit(std::int64_t i);

}  // namespace mitos::eval
