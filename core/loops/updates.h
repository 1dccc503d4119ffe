// SPDX-License-Identifier: GPL-3.0-or-later
// Changes vectors in place.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A vector that an iteration makes of a variable, and assigns to it, is made in the variable: what is added is added there, and where all
/// elements but one stay as they are, only that one changes. Sizes and values are those of the vector that was made, bit for bit.
void updateInPlace(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
