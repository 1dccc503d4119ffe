// SPDX-License-Identifier: GPL-3.0-or-later
// Adds to vectors without others between.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A vector that is only made to be added to another one becomes another name for that one: what would be added to its zeros, or set, is added
/// there. Summands may be added in another order.
void addToTargets(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
