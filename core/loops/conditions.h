// SPDX-License-Identifier: GPL-3.0-or-later
// Leaves out conditions that are known.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A condition that a loop requires in each iteration, and does not change, is required before it. Then conditions disappear that hold, or do
/// not, because of what was required before, the branch or the range of the loop around, or how a vector was made.
void simplifyConditions(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
