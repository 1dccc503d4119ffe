// SPDX-License-Identifier: GPL-3.0-or-later
// Recurrences as linear forms of the state.
#pragma once

#include "core/coarsening/internal/derivation.h"

#include <cstdint>

namespace mitos::coarsening {

/// Rewrites terms to a * x + b, where x is the state of a loop and neither a nor b mentions it.
class Affine {
public:
    /// The state is that element of the loop's pair.
    Affine(Derivation& steps, std::uint32_t state) : m_steps(steps), m_state(state) {}

    /// Rewrites the term at a position, where the loop's pair is the bound variable `pair`. Returns
    /// whether it succeeds; otherwise some steps may have been made. Fails for terms that do not mention the state.
    [[nodiscard]] bool normalize(const ir::Path& position, std::uint32_t pair) {
        return form(position, pair) == Form::Linear;
    }

private:
    enum class Form : std::uint8_t { Invariant, Linear, Other };

    Form form(const ir::Path& position, std::uint32_t pair);
    Form sum(const ir::Path& position, std::uint32_t pair, bool isDifference);
    Form product(const ir::Path& position, std::uint32_t pair);
    Form choice(const ir::Path& position, std::uint32_t pair);
    Form sumbuild(const ir::Path& position, std::uint32_t pair);
    /// Linear if the rule applies.
    Form by(Rule rule, const ir::Path& position) { return m_steps.apply(rule, position) ? Form::Linear : Form::Other; }

    Derivation& m_steps;
    std::uint32_t m_state;
};

}  // namespace mitos::coarsening
