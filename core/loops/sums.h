// SPDX-License-Identifier: GPL-3.0-or-later
// Sums whose order does not matter.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A loop that does nothing but add Floats to a number that begins with 0.0, and computes them by arithmetic alone, declares that number as its
/// sum, so that a back end may add the Floats in an order that computes several at once. A loop of several such sums becomes one for each. Loops of few iterations, and those
/// in several loops, stay as they are.
void declareSums(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
