// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps storage from one iteration to the next.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// Vectors that every iteration of a loop makes anew, with sizes that are the same in all of them, are made before the loop; an iteration
/// that needs them to be zero sets them to zero. Vectors that leave the iteration (moved, returned, kept by a function) stay where they are.
void reuseBuffers(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
