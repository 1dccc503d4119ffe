// SPDX-License-Identifier: GPL-3.0-or-later
// Loops with early exits: their coefficients are computed before them, and their last state is that of a fold.
#pragma once

#include "core/coarsening/internal/derivation.h"

#include <cstdint>

namespace mitos::coarsening {

class Exits {
public:
    explicit Exits(Derivation& steps) : m_steps(steps) {}

    /// Whether a term is a loop with exits below any number of lets.
    [[nodiscard]] bool isLoop(ir::TermId term) const;
    /// Writes what the loop computes in each iteration as linear forms of the state, and moves sums that do not depend on the iteration
    /// before the loop.
    void prepare(const ir::Path& loop) const;
    /// Moves the lets around the loop that is the first child at a position above the position. Returns the new position.
    [[nodiscard]] ir::Path liftLets(ir::Path position) const;
    /// Replaces the last state of a loop at a position by a let of the number of iterations and a fold, if its exits leave the state
    /// unchanged. Returns whether they do; if not, some steps were made.
    [[nodiscard]] bool toFold(const ir::Path& state) const;

private:
    void normalize(const ir::Path& value, std::uint32_t pair) const;
    /// Moves the term at a position before the loop. Returns whether it was moved.
    bool hoist(const ir::Path& loop, const ir::Path& position, std::uint32_t binders) const;

    Derivation& m_steps;
};

}  // namespace mitos::coarsening
