// SPDX-License-Identifier: GPL-3.0-or-later
// Coarsening: segments of a ks function are elevated to symbolic forms, and each is differentiated as a whole.
#pragma once

#include "core/autodiff/derivative.h"
#include "core/base/result.h"
#include "core/coarsening/elevate.h"
#include "core/ir/path.h"
#include "core/ir/term_bank.h"
#include "core/rewrite/step.h"
#include "core/rules/rule.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::coarsening {

/// A region of a function: definitions that are evaluated one after the other, a definition with loops, or the whole.
struct Region {
    enum class Kind : std::uint8_t { Function, Loop, Block, Part };

    Kind kind = Kind::Block;
    std::vector<std::string> definitions;  ///< the names of the variables that it defines, "result" for a body's result
    std::vector<ir::Path> places;          ///< of the values of the definitions in the function's body, one each
    std::size_t size = 0;                  ///< of its symbolic form; 0 if a part of it is large already
    bool isLarge = false;                  ///< the size is above the limit, or a part of it is large
    std::size_t segment = 0;               ///< the number of the segment that it belongs to, from 1 on; 0: none
    std::vector<Region> children;
};
[[nodiscard]] const char* toString(Region::Kind kind);  ///< "function", "loop", "block", "part of a block"

/// Definitions that are differentiated as one.
struct Segment {
    ir::FunctionId function;  ///< with the symbolic form as its body; the differentiated function itself if `isWhole`
    rewrite::Thread thread;   ///< from the definitions as written to the symbolic form
    bool isWhole = false;
};

struct Coarsened {
    ir::FunctionId derivative;  ///< `[rev f]`, or the gradient in the chosen parameters; not valid if not wanted
    ir::FunctionId forward;     ///< `[fwd f]`; not valid if not wanted
    Region root;
    std::vector<Segment> segments;
    double seconds = 0.0;  ///< for regions and symbolic forms, without the derivative
};

/// How segments are chosen.
enum class Selects : std::uint8_t {
    BySize,      ///< as large as the limit allows (Figure 7)
    Statements,  ///< each definition without a loop by itself, for comparison
};

struct CoarsenOptions {
    std::size_t sizeLimit = 600;  ///< the largest segment, in operators of its symbolic form; must be positive
    Selects selects = Selects::BySize;
    autodiff::Form form = autodiff::Form::Scatter;
    /// The numbers of the parameters in which a gradient is wanted, as autodiff::gradient() takes them; with none, `[rev f]` is made.
    std::vector<std::size_t> wrt = {};
    std::size_t mostUnrolled =
        UnrollLimits().iterations;  ///< the largest constant trip count of a loop that is written out
    bool closesLoops = true;        ///< false: loops stay loops, for comparison
    bool reverse = true;            ///< whether `[rev f]` or the gradient is wanted
    bool forward = false;           ///< whether `[fwd f]` is wanted
    std::stop_token stop = {};
};

/// Makes `[rev f]` from the symbolic forms of the segments of f, or the gradient of the function `f_gradient` in the form of
/// autodiff::gradient(), and `[fwd f]`. Fails as these do, if the bank has the function already, or with Cancelled.
/// Derivatives of higher order are those of what this makes, by autodiff::derive().
[[nodiscard]] Result<Coarsened> coarsen(ir::TermBank& bank, const ir::Program& program, const ElevationRules& rules,
                                        const CoarsenOptions& options, autodiff::Obstacle* obstacle = nullptr);

/// The region tree as lines of text, two spaces for each level.
[[nodiscard]] std::string toString(const Region& region);

}  // namespace mitos::coarsening
