// SPDX-License-Identifier: GPL-3.0-or-later
// Names each size once.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// The size of a vector that was made with a size, or whose declared type names it, is read from there, and a second name for a size
/// disappears. Ranges of loops over the same vectors are then the same texts, which the other passes rely on.
void nameSizes(const ir::TypeTable& types, Function& function);

/// Does the same, and makes zeros like another vector by its sizes, where all of them have names.
void makeZerosBySizes(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
