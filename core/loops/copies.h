// SPDX-License-Identifier: GPL-3.0-or-later
// One name for one value.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A symbol that is only another name for a value disappears: its uses read the value where that is, if it is still the same there. A
/// variable that nothing changes is a constant, and a sum of a number and another one is added to it in place.
void removeCopies(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
