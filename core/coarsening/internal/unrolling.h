// SPDX-License-Identifier: GPL-3.0-or-later
// Loops with a small constant trip count are written out, and their tuples and vectors become scalars.
#pragma once

#include "core/coarsening/elevate.h"
#include "core/coarsening/internal/derivation.h"

#include <cstddef>

namespace mitos::coarsening {

class Unrolling {
public:
    Unrolling(Derivation& steps, UnrollLimits limits) : m_steps(steps), m_limits(limits) {}

    /// Writes out all such loops, inner ones first. Then names for vectors and tuples that are written out become names for
    /// their elements, where the elements are taken one by one.
    void run();

private:
    void visit(const ir::Path& position);
    /// Replaces calls in the body of a loop by the bodies of the functions if these take or give vectors or tuples, whose elements
    /// would not be in sight otherwise.
    void inlineCalls(const ir::Path& loop);
    /// Returns whether the loop was written out; if not, no step was made.
    bool unroll(const ir::Path& loop, std::size_t count);
    /// The constant trip count of a loop; 0 if it has none or too large a one.
    [[nodiscard]] std::size_t count(ir::TermId loop) const;
    bool unrollFold(const ir::Path& loop, std::size_t count);
    bool unrollSum(const ir::Path& loop, std::size_t count);

    void toScalars(ir::Path position);
    /// Collects the constant factors of products and quotients of Floats.
    void foldConstants(const ir::Path& position);
    /// Inlines the tuple or vector that is bound by the let at a position, after names for its elements were bound above. The
    /// position then is that of the let's body. Returns whether it was inlined.
    bool split(ir::Path& position);
    /// Binds the term at a place below a let to a name above the let. The let's position changes. Atoms stay.
    bool bindAbove(ir::Path& let, const ir::Path& place);
    [[nodiscard]] bool isAtom(ir::TermId term) const;

    Derivation& m_steps;
    UnrollLimits m_limits;
    std::size_t m_written = 0;  ///< loops that were written out
};

}  // namespace mitos::coarsening
