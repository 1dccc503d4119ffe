// SPDX-License-Identifier: GPL-3.0-or-later
// The ways in which Mitos makes the gradient of a function, side by side for comparison.
#pragma once

#include "core/base/result.h"
#include "core/coarsening/coarsen.h"
#include "core/ir/term_bank.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mitos::search::experiments {

/// A program in a bank of its own.
struct OwnProgram {
    std::shared_ptr<ir::TermBank> bank;
    ir::Program program;
};

/// Makes a function, without derivatives, in a new bank at each call: a derivation adds functions to its bank.
using ProgramMaker = std::function<Result<OwnProgram>()>;
/// Makes the function of a ks program; its last one if `function` is empty.
[[nodiscard]] ProgramMaker programOf(std::string name, std::string text, std::string function = {});

/// The reverse derivative: the gradient in the parameters, or `[rev f]` if there are none.
[[nodiscard]] Result<OwnProgram> reverseDerivative(const ProgramMaker& make, const std::vector<std::size_t>& wrt);

struct CoarsenedProgram {
    OwnProgram derivative;
    coarsening::Coarsened made;
};
[[nodiscard]] Result<CoarsenedProgram> coarsenedDerivative(const ProgramMaker& make,
                                                           const coarsening::CoarsenOptions& options);

/// A function that was made: the function itself, or its gradient. All take the parameters of the function.
struct Variant {
    std::string name;       ///< one of VariantName's
    std::string nameSpace;  ///< a C++ identifier of its own
    std::shared_ptr<ir::TermBank> bank;
    ir::Program program;
    bool isGradient = true;
};

/// The names of variants.
struct VariantName {
    static constexpr const char* Primal = "primal";         ///< the function as written
    static constexpr const char* Closed = "closed primal";  ///< the function in its symbolic form
    static constexpr const char* Reverse = "reverse";       ///< reverse mode of the function as written
    static constexpr const char* Loops = "loops kept";      ///< segments are selected, and loops stay loops
    static constexpr const char* Coarsened = "coarsened";   ///< segments up to the size limit, loops closed
    static constexpr const char* Whole = "one segment";     ///< no selection, if the function is larger than the limit
    static constexpr const char* Halves = "smaller segments";  ///< a limit of half the function's size
    static constexpr const char* Statements = "by statement";  ///< a segment for each statement
    static constexpr const char* NoReuse = "recomputed";  ///< coarsened, and every number computed where it is used
};

struct VariantPlan {
    std::vector<std::size_t> wrt;  ///< parameters
    std::size_t sizeLimit = 600;   ///< of segments (coarsening::CoarsenOptions)
    bool ablates =
        true;  ///< false: the function, its reverse mode, segments with loops, and its coarsened gradient only
};

struct Variants {
    std::vector<Variant> all;
    std::size_t size = 0;  ///< of the whole function's symbolic form, in operators
    std::size_t segments = 0;
    bool isWhole = false;   ///< the whole function is one segment
    std::size_t steps = 0;  ///< of the threads to the symbolic forms
    double symbolicSeconds = 0.0;
};

/// Makes the variants of a function whose result is one Float. Fails if it cannot be made or differentiated.
[[nodiscard]] Result<Variants> gradientVariants(const ProgramMaker& make, const VariantPlan& plan);

}  // namespace mitos::search::experiments
