// SPDX-License-Identifier: GPL-3.0-or-later
// Facts about a term that a network gets besides its kind. They only depend on the term itself.
#pragma once

#include "core/ir/term_bank.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mitos::search::learned {

/// How often the loose variables 0, 1, 2 and 3 occur in a term; from 255 on the same.
using LooseUses = std::array<std::uint8_t, 4>;

inline constexpr std::size_t TermFeatureCount = 28;
using TermFeatures = std::array<float, TermFeatureCount>;

/// Counts the loose variables from those of the children.
[[nodiscard]] LooseUses looseUses(const ir::TermBank& bank, ir::TermId term, std::span<const LooseUses> ofChildren);

/// The value of a literal (0, 1, -1, 2, another), the index of a bound variable, how often a binder's variable is used, how large the term is, and
/// what its first two children have in common: whether they are equal, whether one occurs in the other, and how many of their subterms
/// are equal, down to three levels below them.
[[nodiscard]] TermFeatures featuresOf(const ir::TermBank& bank, ir::TermId term, std::span<const LooseUses> ofChildren);

}  // namespace mitos::search::learned
