// SPDX-License-Identifier: GPL-3.0-or-later
// Loops that are left open in reverse mode, so that they can be closed in the order of a tensor's dimensions: a tangent at [a][b] from
// a nest over b, c and a is (build … a (build … b (sumbuild … c))), without a vector of zeros for any of them.
#pragma once

#include "core/autodiff/internal/block.h"

#include <vector>

namespace mitos::autodiff {

/// A loop with the code of its iteration that is needed, without its result.
struct OpenLoop {
    Block body;
    ir::TermId index;
    ir::TermId size;
    bool isNotEmpty = false;
};

/// Loops around a value, outermost first. Their sizes do not depend on each other, and their code is cheap enough to be repeated.
struct Nest {
    std::vector<OpenLoop> loops;
};

}  // namespace mitos::autodiff
