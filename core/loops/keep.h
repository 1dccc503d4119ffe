// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps what the iterations of one loop compute for another one.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A number that a loop in each iteration of a loop computes, and another loop in each iteration of a later loop over the same range again, is
/// kept by the first. Steps back of folds need such numbers of the steps forward. Values stay, bit for bit.
void keepNumbers(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
