// SPDX-License-Identifier: GPL-3.0-or-later
// Moves what loops repeat out of them.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// Functions that take long (exponentials, logarithms, roots, …) are computed before a loop whose iterations would all compute the same:
/// once, or, if they differ in iterations of loops inside it, into a table with an element for each of these. Nothing is computed that
/// the function does not compute anyway, and every value stays the same, bit for bit. Conditional code is left alone.
void hoist(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
