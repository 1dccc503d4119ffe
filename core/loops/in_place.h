// SPDX-License-Identifier: GPL-3.0-or-later
// Lets a vector become the one that is made of it.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A vector whose elements are used last to make the elements of another vector (or row) of the same size, each at the same place, has its
/// storage: no memory is needed for it. So has a matrix that another one with rows of the same size is made of. Values stay the same, bit for bit.
void reuseInPlace(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
