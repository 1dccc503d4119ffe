// SPDX-License-Identifier: GPL-3.0-or-later
// Writes sums of vectors as loops.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// In a loop, a sum or difference of two vectors of Floats that is only read by elements is made by a loop, so that the vectors that it is
/// made of, and it, need not be stored. Values stay, bit for bit.
void openSums(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
