// SPDX-License-Identifier: GPL-3.0-or-later
// The abstract value of an operator's result.
#pragma once

#include "core/cost/internal/abstract_value.h"

#include <span>

namespace mitos::cost {

/// The value of a ks operator (not of a core one) from the values of its children; for a child that is a function, `results` contains the
/// value of one application. Sound: the value holds for every run on the assumed sizes.
[[nodiscard]] ValueId operatorValue(AbstractValues& values, const ir::TermBank& bank, ir::TermId term,
                                    std::span<const ValueId> results);

/// The argument that a ks operator passes to the function in its child `child`.
[[nodiscard]] ValueId argumentValue(AbstractValues& values, const ir::TermBank& bank, ir::TermId term,
                                    std::size_t child, std::span<const ValueId> childValues);

/// The value of which nothing but the type is known; sizes are unknown too.
[[nodiscard]] ValueId anyOfType(AbstractValues& values, const ir::TermBank& bank, ir::TypeId type);

}  // namespace mitos::cost
