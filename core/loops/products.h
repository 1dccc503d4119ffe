// SPDX-License-Identifier: GPL-3.0-or-later
// Finds products of matrices.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// Three loops that add products of the rows of one matrix and the columns of another to a third one become one statement, which a
/// language has a fast way to write. Values stay the same, bit for bit.
void findProducts(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
