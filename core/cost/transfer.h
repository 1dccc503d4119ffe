// SPDX-License-Identifier: GPL-3.0-or-later
// The abstract value of an operator's result.
#pragma once

#include "core/cost/abstract_value.h"

#include <span>

namespace mitos::cost {

/// Value of a ks operator (not of a core one) from those of its children; for a child that is a function the value
/// of one application stands in `results`. Sound: what the value says holds of every run on the assumed sizes.
[[nodiscard]] ValueId operatorValue(AbstractValues& values, const ir::TermBank& bank, ir::TermId term,
                                    std::span<const ValueId> results);

/// What a function in child `child` of a ks operator is applied to.
[[nodiscard]] ValueId argumentValue(AbstractValues& values, const ir::TermBank& bank, ir::TermId term,
                                    std::size_t child, std::span<const ValueId> childValues);

/// Nothing known, sizes included.
[[nodiscard]] ValueId anyOfType(AbstractValues& values, const ir::TermBank& bank, ir::TypeId type);

}  // namespace mitos::cost
