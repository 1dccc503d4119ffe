// SPDX-License-Identifier: GPL-3.0-or-later
// The reference evaluator: what a program means, of ks or of tensors.
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
    /// Of ks programs: told of every operation on Floats (real_watch.h); null: nobody is.
    RealWatch* watch = nullptr;
};

/// What a function is applied to.
struct Inputs {
    std::vector<Value> arguments;          ///< one a parameter
    std::vector<std::int64_t> extraSizes;  ///< of the SizeNames without a parameter, in their order
    /// Of tensor programs. Those that are not there are random numbers, the same for the same name and type.
    std::shared_ptr<const tensor::Weights> weights = {};
};

struct Evaluation {
    Value value;
    std::string printed;  ///< what print and $trace wrote
    std::uint64_t steps = 0;
};

/// Runs a program state on inputs. Errors: Evaluation (index out of range, failed assert, division of Integers by zero,
/// sizes of arguments that contradict each other, a call of an edef, …) and Limit; the message ends with the place:
/// the path and the subterm printed in ks.
[[nodiscard]] Result<Evaluation> evaluate(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs,
                                          const Limits& limits = {});

/// Which numbers inputs consist of. Together they reach what rules like to take for granted.
enum class Region : std::uint8_t {
    Plain,      ///< between -range and range, with some 0, 1, -1 and 2
    Negative,   ///< down to -1000
    Constants,  ///< InputOptions::numbers
    Large,      ///< between 10 and 1e6, of both signs
    Zero,
    Tiny,      ///< down to 1e-300, of both signs
    Huge,      ///< up to 1e300, of both signs
    Mixed,     ///< each number from one of the regions above
    Infinite,  ///< infinities of both signs
    NotANumber,
};

struct InputOptions {
    std::int64_t minSize = 1;
    std::int64_t maxSize = 4;
    bool equalSizes = false;  ///< every size the same (programs that are only defined for square matrices)
    bool isRagged = false;    ///< rows of a vector of vectors get different sizes unless the type names them
    double range = 3.0;       ///< Floats are drawn from (-range, range), with special values (0, 1, -1, 2) mixed in
    bool positive = false;    ///< Floats are drawn from (0.1, range) instead (log, div, sqrt of arguments)
    Region region = Region::Plain;
    std::vector<double> numbers = {};  ///< for Region::Constants
    std::optional<std::size_t>
        parameter{};  ///< only this parameter's numbers are from the region, the others are plain
};

/// Random well-typed inputs for a signature: equal size names get equal sizes; Integers are small; Lam arguments are
/// not supported (error).
[[nodiscard]] Result<Inputs> randomInputs(const ir::TermBank& bank, const ir::Function& function, Random& random,
                                          const InputOptions& options = {});
/// Inputs for timing: every size and every Integer is `defaultSize`. Errors as randomInputs; Limit if they would be
/// too large (above some ten million numbers).
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
    /// On deviation(); a smaller one makes no sense for rules that reassociate. Of tensor programs for elements that take up to
    /// 1000 operations, and so many times more for longer sums.
    double tolerance = 1e-8;
    Limits limits = {.steps = 20'000'000};
    double seconds = 120.0;  ///< for all inputs together, and for the steps of a thread; 0: no limit
    double flops = 1e11;     ///< a tensor program that computes more on one input is not compared as a whole
    /// As Inputs::weights; those that are one number repeated, with which programs that differ have the same value, are replaced
    /// by random numbers.
    std::shared_ptr<const tensor::Weights> weights = {};
    /// Of ks programs: only inputs on which all of these hold are compared.
    std::vector<AssumedSign> assumptions = {};
};

struct Equivalence {
    bool equivalent = false;  ///< all compared samples agree, and at least one was compared
    int compared = 0;
    int skipped = 0;  ///< inputs on which the first program fails or has no finite value
    double maxDeviation = 0.0;
    /// Inputs on which the values differ by more than the tolerance, but only as rounding, overflow, infinities and what is not a
    /// number make them: over the reals nothing is shown to differ. `compared` does not count them.
    int realOnly = 0;
    std::string realOnlyExample;  ///< the first such input with both values
    /// Of tensor programs: whether inputs that are a little different give values that are. Where they do not (a softmax of large
    /// numbers, a unit that never fires), that two programs agree says little.
    bool isTelling = true;
    std::string counterexample;  ///< inputs and both values, if not equivalent
    std::string note;            ///< what a reader must know, e.g. "mostly with equal sizes: …"; may be empty
    /// No input told enough about the whole; each step on the way was compared by itself (rewrite/verify.h).
    bool stepByStep = false;
};

/// Compares two program states of one signature on random inputs, of ks programs in every Region, with sizes 0 and 1, and with ragged vectors of vectors. Tries mixed sizes first, then equal ones where the
/// first program fails on mixed ones, and positive numbers where plain ones mostly give no finite value. Where the
/// second program fails or differs on an input on which the first has a value, they are not equivalent. Tensor programs that
/// compute much are compared on fewer inputs. Where the time ends, what was compared until then counts, and the note says so.
[[nodiscard]] Result<Equivalence> compare(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                          const EquivalenceOptions& options = {});

}  // namespace mitos::eval
