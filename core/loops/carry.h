// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps what the next iteration needs.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A function that takes long (a root, an exponential, …) is not computed where every iteration but the first, which does not need it, would
/// compute what the iteration before has computed: at the left end of a step what was the right end of the one before. A variable keeps
/// that. Values stay the same, bit for bit.
void carry(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
