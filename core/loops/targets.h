// SPDX-License-Identifier: GPL-3.0-or-later
// Adds to vectors without others between.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// Where a vector of zeros is only added to, or has each element set once, and is then added to a place, or subtracted from it, as a whole,
/// that happens to the place, and the vector is not made. Until then the place is only added to. Summands may be added in another order.
void addToTargets(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
