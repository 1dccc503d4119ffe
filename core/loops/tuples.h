// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the parts of a tuple apart.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A variable that is a tuple, or a vector of tuples that never leaves the function, becomes a variable for each part, if it is only read by
/// parts, assigned, moved or returned. What is assigned to one part may then change it in place, and parts that nothing reads disappear.
/// Values stay, bit for bit.
void splitTuples(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
