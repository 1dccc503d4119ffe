// SPDX-License-Identifier: GPL-3.0-or-later
// A pass over the loop form. What it changes computes the same.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// Where a vector of zeros is only added to, and then added to a place as a whole, its summands are added to that place, and the vector is not
/// made. Nothing reads the place in between.
void addDirectly(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
