// SPDX-License-Identifier: GPL-3.0-or-later
// Which nodes a rewrite is about: what lights up in the program while the rewrite is pointed at in a list.
#pragma once

#include "core/rewrite/rewriter.h"

#include <cstddef>
#include <vector>

namespace mitos::views {

struct Touched {
    std::vector<ir::Path> places;  ///< in the program, the roots first
    std::size_t roots = 0;         ///< of them
};

/// Where the rewrite stands, and in a graph also every node below its roots that the replacement does not have. Takes time
/// linear in the program.
[[nodiscard]] Touched touchedPlaces(const ir::TermBank& bank, const ir::Program& program,
                                    const rewrite::Rewrite& rewrite);

}  // namespace mitos::views
