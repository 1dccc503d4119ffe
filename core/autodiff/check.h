// SPDX-License-Identifier: GPL-3.0-or-later
// Checks derivatives at random inputs: against central differences, and forward and reverse against each other.
#pragma once

#include "core/base/result.h"
#include "core/eval/evaluator.h"
#include "core/ir/term_bank.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mitos::autodiff {

struct CheckOptions {
    int points = 20;
    std::uint64_t seed = 1;
    double tolerance = 1e-6;     ///< on deviations from central differences, besides their estimated error
    double lawTolerance = 1e-9;  ///< on the law below
    /// Inputs at which a derivative fails are left out instead of ending the check: in delta form, sums over nothing fail.
    bool mayFail = false;
    eval::Limits limits = {.steps = 20'000'000};
    std::function<void(int compared)> progress = {};  ///< called after each point
};

/// The largest deviations over all points. A deviation is relative to the size of the compared numbers: for vectors their largest
/// element, for inner products the sum of the absolute values of their summands.
struct CheckReport {
    int points = 0;     ///< inputs on which everything was compared
    int redrawn = 0;    ///< inputs at which a branch changes within the smallest step
    int unsettled = 0;  ///< inputs at which the differences do not converge, so that they tell nothing
    int singular = 0;   ///< inputs at which a derivative is not finite, as the root of zero has none
    int failed = 0;     ///< inputs at which a derivative fails although the program has a value (CheckOptions::mayFail)
    int skipped = 0;    ///< inputs on which the program has no finite value
    bool isForwardOnly = false;      ///< there is no reverse derivative to compare
    double forwardDeviation = 0.0;   ///< of fwd(x, dx) from central differences
    double reverseDeviation = 0.0;   ///< of <rev(x, dt), dx> from <dt, central differences>
    double lawDeviation = 0.0;       ///< of <rev(x, dt), dx> from <dt, fwd(x, dx)>
    bool hasGradient = false;        ///< there is a gradient in chosen parameters
    double gradientDeviation = 0.0;  ///< of its elements from those of rev(x, 1), relative to the largest of these
    bool passed = false;             ///< all within the tolerances, and at least one point compared
    bool isUndecided = false;        ///< nothing could be compared and no derivative failed, so there is no verdict
    std::string worst;               ///< the inputs with the largest deviation, if not passed
    std::string failure;             ///< the error of a derivative that failed where the program has a value
    std::string reason;              ///< the error of an input on which the program has no value, if undecided
    std::string note;                ///< how inputs had to be chosen; may be empty
};

/// The lines of a report: the deviations, the points that were drawn again with the reasons, failures. `passed` is the verdict.
[[nodiscard]] std::string describe(const CheckReport& report);

/// The verdict in words: "the derivatives agree", "… do not agree", "… were not compared".
[[nodiscard]] const char* verdictOf(const CheckReport& report);

/// The derivatives to check; all are of the base. Without a reverse one (an id that is not valid), forward is compared with differences only.
/// A gradient in the parameters with the numbers `wrt` (autodiff::gradient) is compared with the reverse derivative, which it requires.
struct Derivatives {
    ir::FunctionId base;
    ir::FunctionId forward;
    ir::FunctionId reverse = {};
    ir::FunctionId gradient = {};
    std::vector<std::size_t> wrt = {};
};

/// Central differences are extrapolated to step zero (Ridders 1982); the steps start at a hundredth of the inputs' size and shrink where
/// a branch changes. Fails if there are no random inputs for the function, or if it is not repeatable.
[[nodiscard]] Result<CheckReport> check(const ir::TermBank& bank, const Derivatives& derivatives,
                                        const CheckOptions& options = {});

}  // namespace mitos::autodiff
