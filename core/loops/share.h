// SPDX-License-Identifier: GPL-3.0-or-later
// Does equal work once.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A function that takes long (an exponential, a root, …) and that an earlier statement of the same block has computed already is not
/// computed again: the statement keeps its value, or, if it is a loop, the values of all iterations. Values stay the same, bit for bit.
void share(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
