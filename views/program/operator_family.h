// SPDX-License-Identifier: GPL-3.0-or-later
// Families of operators, by which the boxes of a graph are coloured.
#pragma once

#include "core/ir/term_bank.h"

#include <QString>
#include <cstdint>

namespace mitos::views {

enum class OperatorFamily : std::uint8_t {
    Contraction,  ///< products of matrices; the loops of ks
    Convolution,
    Elementwise,
    Normalization,
    Movement,   ///< the same elements in another place or shape
    Reduction,  ///< and pooling
    Fused,      ///< attention and other fused operators
    Control,    ///< conditions, bindings, calls
    Data,       ///< inputs, weights and constants
};
inline constexpr int OperatorFamilies = 9;

[[nodiscard]] OperatorFamily familyOf(const ir::TermBank& bank, ir::TermId term);
/// "contraction", for the legend; ks has loops where networks have contractions.
[[nodiscard]] QString familyName(OperatorFamily family, bool isGraph);

}  // namespace mitos::views
