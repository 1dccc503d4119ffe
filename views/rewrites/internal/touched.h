// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes affected by a rewrite, which are highlighted in the program while the pointer is on the rewrite in a list.
#pragma once

#include "core/rewrite/rewriter.h"

#include <cstddef>
#include <vector>

namespace mitos::views {

struct Touched {
    std::vector<ir::Path> places;  ///< in the program, the roots first
    std::size_t roots = 0;         ///< how many of them are roots
};

/// The roots of the rewrite; in a graph also every node below them that the replacement does not contain. Takes time
/// linear in the program.
[[nodiscard]] Touched touchedPlaces(const ir::TermBank& bank, const ir::Program& program,
                                    const rewrite::Rewrite& rewrite);

}  // namespace mitos::views
