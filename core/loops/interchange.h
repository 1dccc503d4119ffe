// SPDX-License-Identifier: GPL-3.0-or-later
// Orders loops for unit stride.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// Where each iteration of a loop over elements has a loop that adds to one number, and the reads of that loop step from row to row, the two
/// loops change places: the numbers become a vector, and the inner loop runs along rows. The summands of each element are added in
/// the same order either way, so that values stay the same, bit for bit.
void interchange(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
