// SPDX-License-Identifier: GPL-3.0-or-later
// The ways in which Mitos makes the gradient of a function, side by side for comparison.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::experiments {

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
    std::string function = {};     ///< its name in the program; empty: the last one
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

/// Makes the variants of a ks program from its text; its result must be one Float. Fails if it cannot be read or differentiated.
[[nodiscard]] Result<Variants> gradientVariants(const std::string& name, std::string_view text,
                                                const VariantPlan& plan);

}  // namespace mitos::experiments
