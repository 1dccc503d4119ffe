// SPDX-License-Identifier: GPL-3.0-or-later
// A pass over the loop form. What it changes computes the same, bit for bit.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// Loops over one range that add up a few numbers each become one loop, so that a sum need not wait for another one. Equal sums of
/// one loop are one.
void mergeSums(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
