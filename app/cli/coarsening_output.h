// SPDX-License-Identifier: GPL-3.0-or-later
// grad --coarsen: its options, the coarsened derivative, and the region tree as text and as JSON.
#pragma once

#include "app/cli/context.h"
#include "core/coarsening/coarsen.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>

namespace mitos::cli {

struct CoarseningFlags {
    bool isOn = false;
    bool showsRegions = false;
    std::string thread;  ///< file for the steps to the symbolic forms; empty: none
    std::size_t sizeLimit = coarsening::CoarsenOptions().sizeLimit;
    std::size_t mostUnrolled = coarsening::CoarsenOptions().mostUnrolled;

    void add(CLI::App& command);
};

/// The coarsened derivative, with the size limit of the flags. Writes the steps to the symbolic forms if they are wanted, after the
/// independent checker has confirmed them.
[[nodiscard]] Result<coarsening::Coarsened> coarsened(const CoarseningFlags& flags, ir::TermBank& bank,
                                                      const ir::Program& program, coarsening::CoarsenOptions options,
                                                      autodiff::Obstacle& obstacle);

/// The region tree and the segments, for people.
[[nodiscard]] std::string coarseningText(const coarsening::Coarsened& result, const ir::TermBank& bank);
[[nodiscard]] Json coarseningJson(const coarsening::Coarsened& result, const ir::TermBank& bank, std::size_t sizeLimit);

}  // namespace mitos::cli
