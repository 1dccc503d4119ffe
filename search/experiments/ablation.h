// SPDX-License-Identifier: GPL-3.0-or-later
// An ablation of one function: the time of an evaluation, of its reverse derivative, of its segments without closed forms, and of its
// coarsened derivative.
#pragma once

#include "core/base/result.h"
#include "core/codegen/timing.h"
#include "search/experiments/gradient_variants.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mitos::search::experiments {

struct AblationPlan {
    ProgramMaker make;  ///< of the function
    /// The numbers of the parameters in which a gradient is wanted; none: all that have one, or `[rev f]` of a result that is not a Float.
    std::vector<std::size_t> wrt = {};
    std::size_t sizeLimit = 600;
    std::int64_t size =
        0;  ///< every size and every Integer of the inputs; 0: random inputs, as those of the gradient check
    std::uint64_t seed = 1;
    codegen::TimingOptions timing = {};
};

struct AblationTime {
    enum class Variant : std::uint8_t { Primal, Reverse, Segments, Coarsened };
    Variant variant = Variant::Primal;
    codegen::ProgramTime time;
};

struct AblationReport {
    std::vector<AblationTime> times;  ///< one of each variant, in their order
    bool isCompiled = false;          ///< false: measured by the evaluator, as there is no compiler
    std::string compiler;             ///< its version and flags
    std::size_t numbers = 0;          ///< Floats of the inputs
};

/// Fails if there are no inputs for the function, if it has no derivative, or with Cancelled. A variant that cannot be made or measured is
/// a time with a problem.
[[nodiscard]] Result<AblationReport> measureAblation(const AblationPlan& plan);

}  // namespace mitos::search::experiments
